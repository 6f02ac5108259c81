mod border;
mod header;
