//! rspprof: a small Rust program that records itself with the crate pprof and writes an uncompressed pprof file.
//!
//! Build: cargo build --release
//! Run:   ./rspprof cpu.pb

use pprof::protos::Message;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

#[inline(never)]
fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    fib(n - 1) + fib(n - 2)
}

fn sieve(limit: usize) -> usize {
    let mut composite = vec![false; limit];
    for n in 2..limit {
        if !composite[n] {
            composite.iter_mut().skip(n * n).step_by(n).for_each(|slot| *slot = true);
        }
    }
    composite.into_iter().skip(2).filter(|slot| !slot).count()
}

fn run_until(end: Instant, work: impl Fn()) {
    while Instant::now() < end {
        work();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let output = std::env::args().nth(1).ok_or("usage: rspprof OUTPUT")?;
    let guard = pprof::ProfilerGuardBuilder::default().frequency(250).build()?;
    let end = Instant::now() + Duration::from_millis(500);
    let named = |name: &str| thread::Builder::new().name(name.to_string());
    let threads = [
        named("fib").spawn(move || run_until(end, || _ = black_box(fib(20))))?,
        named("sieve").spawn(move || run_until(end, || _ = black_box(sieve(20_000))))?,
    ];
    for t in threads {
        t.join().expect("a thread panicked");
    }
    let profile = guard.report().build()?.pprof()?;
    std::fs::write(output, profile.encode_to_vec())?;
    Ok(())
}
