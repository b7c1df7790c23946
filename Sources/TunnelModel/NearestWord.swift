/// Returns the candidate that was probably meant by a mistyped word.
///
/// A candidate qualifies when it differs from `word` by edits (insertion, deletion, replacement,
/// exchange of neighbours) of at most a third of the word's length, at least one, or when one of
/// the two is a prefix, of three letters or more, of the other. Case does not count. The fewest
/// edits win, then the longest common beginning, then the alphabet, so that the order of
/// `candidates` never matters.
package func nearestWord(to word: String, in candidates: some Sequence<String>) -> String? {
    let letters = folded(word)
    var best: (candidate: String, distance: Int, shared: Int)?
    for candidate in candidates {
        let other = folded(candidate)
        guard let distance = qualifyingDistance(letters, other) else { continue }
        let shared = commonPrefixLength(letters, other)
        guard let current = best else {
            best = (candidate, distance, shared)
            continue
        }
        let isBetter =
            if distance != current.distance {
                distance < current.distance
            } else if shared != current.shared {
                shared > current.shared
            } else {
                candidate < current.candidate
            }
        if isBetter { best = (candidate, distance, shared) }
    }
    return best?.candidate
}

private func folded(_ word: String) -> [Unicode.Scalar] {
    Array(word.lowercased().unicodeScalars)
}

private func commonPrefixLength(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var length = 0
    while length < min(a.count, b.count), a[length] == b[length] { length += 1 }
    return length
}

/// Returns the number of edits between the two, or nil where they are too far apart.
private func qualifyingDistance(_ word: [Unicode.Scalar], _ candidate: [Unicode.Scalar]) -> Int? {
    let difference = abs(word.count - candidate.count)
    let shorter = min(word.count, candidate.count)
    if shorter >= 3, commonPrefixLength(word, candidate) == shorter { return difference }

    // Also spares the quadratic comparison for a word far longer than any candidate.
    let limit = max(1, word.count / 3)
    guard difference <= limit else { return nil }
    let distance = editDistance(word, candidate)
    // Edits that replace every letter would make each word of one letter near to each other.
    return distance <= limit && distance < max(word.count, candidate.count) ? distance : nil
}

/// Returns the optimal string alignment distance: no part is edited twice.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        row.reserveCapacity(b.count + 1)
        for j in b.indices {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[b.count]
}
