// Rust to be looked up: generics, traits, closures, iterators, formatting, hash maps. Its text also
// holds what it uses of the standard library, which comes with line tables.
use std::collections::{BTreeMap, HashMap};
use std::fmt;

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        String::from("shape")
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Circle {
    r: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Token {
    Number(i64),
    Word(String),
    Op(char),
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        3.14159 * self.r * self.r
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn area(&self) -> f64 {
        self.iter().map(|s| s.area()).sum()
    }
    fn name(&self) -> String {
        self.iter().map(|s| s.name()).collect::<Vec<_>>().join("+")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Number(n) => write!(f, "{}", n),
            Token::Word(w) => write!(f, "<{}>", w),
            Token::Op(c) => write!(f, "'{}'", c),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    for part in text.split_whitespace() {
        if let Ok(n) = part.parse::<i64>() {
            out.push(Token::Number(n));
        } else if part.len() == 1 && part.chars().all(|c| "+-*/".contains(c)) {
            out.push(Token::Op(part.chars().next().unwrap()));
        } else if part.chars().all(char::is_alphanumeric) {
            out.push(Token::Word(part.to_lowercase()));
        } else {
            return Err(format!("what is {:?}?", part));
        }
    }
    Ok(out)
}

mod deep {
    pub mod er {
        #[inline(always)]
        pub fn twice<F: Fn(u64) -> u64>(f: F, x: u64) -> u64 {
            f(f(x))
        }
    }
    #[inline(never)]
    pub fn hash(s: &str) -> u64 {
        s.bytes().fold(5381, |h, b| er::twice(|x| x.rotate_left(3) ^ u64::from(b), h))
    }
}

fn main() {
    let mut seen: HashMap<Token, usize> = HashMap::new();
    let mut by_hash: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let shapes: Vec<Circle> = (0..5).map(|i| Circle { r: f64::from(i) }).collect();
    for arg in std::env::args() {
        match tokens(&arg) {
            Ok(ts) => {
                for t in ts {
                    by_hash.entry(deep::hash(&t.to_string())).or_default().push(format!("{t:?}"));
                    *seen.entry(t).or_insert(0) += 1;
                }
            }
            Err(e) => eprintln!("{e}"),
        }
    }
    let mut all: Vec<_> = seen.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    for (t, n) in &all {
        println!("{t} {n}");
    }
    println!("{:?} {} {}", by_hash, shapes.area(), shapes.name());
}
