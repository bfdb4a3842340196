// live.rs - for live recordings: traits, closures, iterators and the standard library inlined into each
// other, several threads. usage: live [SECONDS]
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

trait Shape {
    fn area(&self) -> f64;
}

struct Circle(f64);
struct Polygon(Vec<(f64, f64)>);

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0.powi(2)
    }
}

impl Shape for Polygon {
    fn area(&self) -> f64 {
        let next = self.0.iter().cycle().skip(1);
        self.0.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<f64>() / 2.0
    }
}

fn shapes() {
    let corners = (0..50).map(|i| ((i as f64).cos(), (i as f64).sin())).collect();
    let all: Vec<Box<dyn Shape>> = vec![Box::new(Circle(2.0)), Box::new(Polygon(corners))];
    black_box((0..2000).map(|i| all[i % 2].area()).sum::<f64>());
}

fn words() {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for i in 0..3000 {
        *counts.entry(format!("word {}", i % 700)).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = counts.into_iter().collect();
    black_box(sorted.values().filter(|n| **n % 2 == 0).count());
}

fn sorting() {
    let mut v: Vec<u64> = (0..5000u64).map(|i| i.wrapping_mul(2654435761) % 65521).collect();
    v.sort_by(|a, b| b.cmp(a));
    v.sort_unstable_by_key(|x| x.rotate_left(7));
    black_box(&v);
}

fn text() {
    let mut out = String::new();
    for i in 0..1500 {
        writeln!(out, "{} {:.3}", i, i as f64 / 3.0).unwrap();
    }
    black_box(out.lines().flat_map(|l| l.split(' ')).filter_map(|w| w.parse::<f64>().ok()).sum::<f64>());
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(1.0, |s| s.parse().unwrap());
    let work: [fn(); 4] = [shapes, words, sorting, text];
    let threads: Vec<_> = work
        .into_iter()
        .map(|f| {
            std::thread::spawn(move || {
                let end = Instant::now() + Duration::from_secs_f64(seconds);
                while Instant::now() < end {
                    f();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}
