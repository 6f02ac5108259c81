mod border;
mod header;
mod vectors;
