//! rsdemo: a small multi-threaded Rust program to record with a profiler.
//!
//! What a recording of it shows: names with traits, generics and closures (`{{closure}}`, `{impl#0}`, hashes), inline
//! chains through iterators, panic-capable code from the standard library, and
//!
//!   collatz    on the CPU, nested iterators and closures, all inlined
//!   walker     mutual recursion over a boxed tree through a trait
//!   counter-1,2  a HashMap behind a Mutex
//!   ticker     asleep nearly all the time
//!
//! Build: rustc -g -O --edition 2021 rsdemo.rs
//! Run:   ./rsdemo [milliseconds]       (default 400)

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

static STOP: AtomicBool = AtomicBool::new(false);

fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

fn collatz_length(start: u64) -> usize {
    std::iter::successors(Some(start), |&n| match n {
        1 => None,
        n if n % 2 == 0 => Some(n / 2),
        n => Some(3 * n + 1),
    })
    .count()
}

fn collatz() {
    while !stopped() {
        let longest = (1..2000u64).max_by_key(|&n| collatz_length(n));
        black_box(longest);
    }
}

trait Weigh {
    fn weigh(&self) -> f64;
}

enum Node<T> {
    Leaf(T),
    Fork(Box<Node<T>>, Box<Node<T>>),
}

impl<T: Into<f64> + Copy> Weigh for Node<T> {
    #[inline(never)]
    fn weigh(&self) -> f64 {
        match self {
            Node::Leaf(value) => (*value).into().sqrt(),
            Node::Fork(left, right) => balance(left.as_ref(), right.as_ref()),
        }
    }
}

#[inline(never)]
fn balance(left: &dyn Weigh, right: &dyn Weigh) -> f64 {
    (left.weigh() - right.weigh()).abs() + 0.5
}

fn grow(depth: u32, seed: f32) -> Node<f32> {
    if depth == 0 {
        return Node::Leaf(seed);
    }
    Node::Fork(Box::new(grow(depth - 1, seed * 1.5)), Box::new(grow(depth - 1, seed + 1.0)))
}

fn walker() {
    let tree = grow(12, 1.0);
    while !stopped() {
        black_box(tree.weigh());
    }
}

fn counter(table: Arc<Mutex<HashMap<String, usize>>>) {
    let mut i = 0usize;
    while !stopped() {
        let mut held = table.lock().unwrap();
        *held.entry(format!("key {}", i % 500)).or_default() += i;
        i += 1;
    }
}

fn ticker() {
    while !stopped() {
        black_box(collatz_length(837_799));
        thread::sleep(Duration::from_millis(40));
    }
}

fn main() {
    let table = Arc::new(Mutex::new(HashMap::new()));
    let start = |name: &str, run: Box<dyn FnOnce() + Send>| {
        thread::Builder::new().name(name.to_string()).spawn(run).expect("cannot start a thread")
    };
    let mut threads = vec![
        start("collatz", Box::new(collatz)),
        start("walker", Box::new(walker)),
        start("ticker", Box::new(ticker)),
    ];
    for name in ["counter-1", "counter-2"] {
        let table = Arc::clone(&table);
        threads.push(start(name, Box::new(move || counter(table))));
    }
    let ms = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(400);
    thread::sleep(Duration::from_millis(ms));
    STOP.store(true, Ordering::Relaxed);
    for t in threads {
        t.join().expect("a thread panicked");
    }
    println!("{}", table.lock().unwrap().len());
}
