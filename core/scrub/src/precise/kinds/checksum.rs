//! Checksums that vendors put into their tokens.
//!
//! A right checksum makes a finding `verified`. A wrong one changes nothing: the token is still
//! masked.

use super::shape::{Check, Shape};

/// True if the secret holds the checksum that its kind requires, and it is right.
///
/// GitHub has published its algorithm ("Behind GitHub's new authentication token formats", 2021):
/// CRC-32 in base 62, padded with zeros to six digits. npm uses the same. Cloudflare and Zuplo
/// append eight hexadecimal digits.
pub(super) fn verified(shape: &Shape, secret: &[u8]) -> bool {
    let body = secret.get(shape.prefix.len()..).unwrap_or_default();
    match shape.check {
        Check::None => false,
        Check::Crc62 => match body.split_last_chunk::<6>() {
            Some((random, sum)) => base62(crc32(random)) == *sum,
            None => false,
        },
        Check::CrcHex => match body.split_last_chunk::<8>() {
            Some((random, sum)) => {
                let random = random.strip_suffix(b"_").unwrap_or(random);
                hexadecimal(crc32(random)) == *sum
            }
            None => false,
        },
    }
}

/// Six digits in base 62.
fn base62(mut number: u32) -> [u8; 6] {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = [b'0'; 6];
    for place in text.iter_mut().rev() {
        *place = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    text
}

/// Eight hexadecimal digits in lower case.
fn hexadecimal(number: u32) -> [u8; 8] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (28 - 4 * place) & 15) as usize])
}

/// CRC-32 as in zlib (ISO 3309), one bit at a time: tokens are short.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zlib() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(&base62(0), b"000000");
        assert_eq!(&base62(61), b"00000z");
        assert_eq!(&base62(62), b"000010");
        assert_eq!(&hexadecimal(0x0CF4_392E), b"0cf4392e");
    }
}
