use std::sync::atomic::AtomicBool;

use super::*;

#[test]
fn what_stays_registered_is_found_while_others_come_and_go() {
    let values = values(&[TOKEN]);
    let text = format!("before {} {TOKEN} after", "x".repeat(50));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut rounds = 0;
                    while !done.load(Ordering::Relaxed) || rounds == 0 {
                        let found = hits(&values, text.as_bytes());
                        assert_eq!(found.len(), 1, "after {rounds} rounds");
                        rounds += 1;
                    }
                })
            })
            .collect();
        let writers: Vec<_> = (0..2_u32)
            .map(|writer| {
                let values = &values;
                scope.spawn(move || {
                    for n in 0..300_u32 {
                        let value = format!("w{writer}-{:08x}-{n}", n.wrapping_mul(0x9e37_79b9));
                        values.add(&value, None).unwrap();
                        assert_eq!(masked(values, &value), "#");
                        if n % 3 > 0 {
                            assert!(values.remove(&value));
                            assert_eq!(masked(values, &value), value);
                        }
                    }
                })
            })
            .collect();
        let finished: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(finished.iter().all(Result::is_ok));
        assert!(readers.into_iter().all(|reader| reader.join().is_ok()));
    });
    assert_eq!(values.len(), 1 + 2 * 100);
}

#[test]
fn a_value_that_is_added_by_one_thread_is_found_by_the_others_from_then_on() {
    let values = Values::new();
    let (sender, receiver) = std::sync::mpsc::channel::<String>();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            for value in receiver {
                assert_eq!(masked(&values, &format!("<{value}>")), "<#>");
            }
        });
        for n in 0..400_u32 {
            let value = format!("{:08x}-value-{n}", n.wrapping_mul(0x85eb_ca6b));
            values.add(&value, None).unwrap();
            sender.send(value).unwrap();
        }
        drop(sender);
        assert!(reader.join().is_ok());
    });
}
