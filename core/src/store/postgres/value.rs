//! Values on their way to PostgreSQL and back.

use std::error::Error as StdError;
use std::fmt;

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, WrongType, to_sql_checked};

use crate::store::driver::Value;

type Failed = Box<dyn StdError + Sync + Send>;

/// A value of a placeholder, sent as the type that the prepared statement says.
pub(super) struct Param<'a>(pub(super) &'a Value);

/// The client logs parameters when a host turns its debug log on, and values may be private.
impl fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(int) if *ty == Type::INT8 => int.to_sql(ty, out),
            Value::Int(int) if *ty == Type::INT4 => i32::try_from(*int)?.to_sql(ty, out),
            Value::Real(real) if *ty == Type::FLOAT8 => real.to_sql(ty, out),
            Value::Text(text) if <&str as ToSql>::accepts(ty) => text.to_sql(ty, out),
            Value::Bytes(bytes) if *ty == Type::BYTEA => bytes.to_sql(ty, out),
            _ => Err(format!("{} cannot be sent as {ty}", name(self.0)).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Int(_) => "a whole number",
        Value::Real(_) => "a floating-point number",
        Value::Text(_) => "text",
        Value::Bytes(_) => "bytes",
    }
}

/// A value of a row.
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Cell, Failed> {
        Ok(Cell(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            _ if <&str as FromSql>::accepts(ty) => Value::Text(String::from_sql(ty, raw)?),
            // `SUM` of whole numbers is one: a statement casts it to BIGINT.
            _ => return Err(Box::new(WrongType::new::<Cell>(ty.clone()))),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Cell, Failed> {
        Ok(Cell(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(value: &Value, ty: &Type) -> Result<Option<Vec<u8>>, String> {
        let mut out = BytesMut::new();
        match Param(value).to_sql(ty, &mut out) {
            Ok(IsNull::Yes) => Ok(None),
            Ok(IsNull::No) => Ok(Some(out.to_vec())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_value_comes_back_as_it_was_sent() {
        for (value, ty) in [
            (Value::Int(i64::MIN), Type::INT8),
            (Value::Int(-7), Type::INT4),
            (Value::Real(0.5), Type::FLOAT8),
            (Value::Text("🦀".into()), Type::TEXT),
            (Value::Bytes(vec![0, 255]), Type::BYTEA),
        ] {
            let raw = sent(&value, &ty).unwrap().unwrap();
            assert_eq!(Cell::from_sql(&ty, &raw).unwrap().0, value);
        }
        assert_eq!(sent(&Value::Null, &Type::BYTEA).unwrap(), None);
    }

    #[test]
    fn a_value_of_another_type_is_refused_without_being_shown() {
        let error = sent(&Value::Text("hunter2".into()), &Type::INT8).unwrap_err();
        assert_eq!(error, "text cannot be sent as int8");
        assert!(sent(&Value::Int(1 << 40), &Type::INT4).is_err());
        assert!(Cell::from_sql(&Type::NUMERIC, &[0; 8]).is_err());
        assert_eq!(format!("{:?}", Param(&Value::Text("hunter2".into()))), "_");
    }
}
