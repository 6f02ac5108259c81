//! The plan as the host has written it, read where it lies.

use crate::system::{E2BIG, EINVAL, Outcome, Text};

/// What is left of a plan.
pub struct Plan {
    bytes: &'static [u8],
    at: usize,
}

impl Plan {
    pub fn new(bytes: &'static [u8]) -> Plan {
        Plan { bytes, at: 0 }
    }

    fn take(&mut self, count: usize) -> Outcome<&'static [u8]> {
        let end = self.at.checked_add(count).ok_or(EINVAL)?;
        let taken = self.bytes.get(self.at..end).ok_or(EINVAL)?;
        self.at = end;
        Ok(taken)
    }

    pub fn tag(&mut self) -> Outcome<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn number(&mut self) -> Outcome<u64> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(bytes))
    }

    /// The bytes of a text, without the zero at its end.
    pub fn bytes(&mut self) -> Outcome<&'static [u8]> {
        let mut length = [0; 4];
        length.copy_from_slice(self.take(4)?);
        let bytes = self.take(u32::from_le_bytes(length) as usize)?;
        if self.take(1)? != [0] {
            return Err(EINVAL);
        }
        Ok(bytes)
    }

    pub fn text(&mut self) -> Outcome<Text> {
        Ok(self.bytes()?.as_ptr())
    }

    /// As many texts as the number in front of them says, as a list that ends in nothing.
    pub fn list(&mut self, space: &'static mut [Text]) -> Outcome<*const Text> {
        let count = usize::try_from(self.number()?).map_err(|_| E2BIG)?;
        if count >= space.len() {
            return Err(E2BIG);
        }
        for place in space.iter_mut().take(count) {
            *place = self.text()?;
        }
        *space.get_mut(count).ok_or(E2BIG)? = core::ptr::null();
        Ok(space.as_ptr())
    }
}
