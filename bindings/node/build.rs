//! Tells the linker that Node brings the symbols of its own interface.

fn main() {
    napi_build::setup();
}
