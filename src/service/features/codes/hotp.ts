/*
 * HMAC-SHA-1 for the codes of RFC 4226, and nothing else: each input is a counter of 8 bytes, so the inner and the outer hash are
 * one block each. `node:crypto` takes 2.5 microseconds for such an HMAC, of which the hash itself is a small part. A code is
 * compared with 24 of them, so the search cost as much as everything else that a wrong code causes. Here an HMAC takes half a
 * microsecond. The tests compare it with `node:crypto`.
 */

/** The initial hash value of SHA-1 (FIPS 180-4 section 5.3.3). */
const initial = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)

/** The length of a block and of a hash, words of 32 bits. */
const [blockWords, hashWords] = [16, 5]

/** The words of the message schedule. Nothing awaits between writing and hashing them, so one array is enough for all. */
const schedule = new Int32Array(80)

/** The input of the outer hash, and then the HMAC. */
const hash = new Int32Array(hashWords)

/**
 * Computes the codes of a secret as numbers (RFC 4226 section 5.3).
 * @param seed The secret, at most 64 bytes.
 */
export function hotpOf(seed: Buffer, digits: 6 | 8): (counter: number) => number {
  const block = Buffer.alloc(4 * blockWords)
  // A longer key would have to be hashed first (RFC 2104 section 2).
  if (seed.length > block.length) throw new RangeError(`seed: at most ${block.length} bytes, got ${seed.length}`)
  seed.copy(block)
  const [inner, outer] = [keyed(block, 0x36363636), keyed(block, 0x5c5c5c5c)]
  block.fill(0)
  const modulus = 10 ** digits
  return (counter) => {
    schedule[0] = Math.floor(counter / 2 ** 32)
    schedule[1] = counter
    pad(2)
    compress(inner, hash)
    schedule.set(hash)
    pad(hashWords)
    compress(outer, hash)
    return truncated() % modulus
  }
}

/** The state of a hash after the block that contains the key (RFC 2104 section 4). */
function keyed(block: Buffer, padding: number): Int32Array {
  for (let word = 0; word < blockWords; word++) schedule[word] = block.readInt32BE(4 * word) ^ padding
  const state = new Int32Array(hashWords)
  compress(initial, state)
  return state
}

/** Ends a message of some words that follows the block of the key (FIPS 180-4 section 5.1.1). */
function pad(words: number): void {
  schedule[words] = 0x80000000
  schedule.fill(0, words + 1, blockWords - 1)
  schedule[blockWords - 1] = 32 * (blockWords + words)
}

/** The dynamic truncation to 31 bits (RFC 4226 section 5.4): four bytes, which may be parts of two words. */
function truncated(): number {
  const offset = (hash[4] ?? 0) & 0xf
  const [word, bits] = [offset >>> 2, 8 * (offset & 3)]
  // In two shifts, because a shift by 32 bits would be one by 0.
  const following = ((hash[word + 1] ?? 0) >>> 1) >>> (31 - bits)
  return (((hash[word] ?? 0) << bits) | following) & 0x7fffffff
}

/** Hashes the first 16 words of the schedule (FIPS 180-4 section 6.1.2). Each round has a loop of its own, which is a third faster. */
function compress(state: Int32Array, result: Int32Array): void {
  const w = schedule
  for (let t = blockWords; t < 80; t++) {
    const word = (w[t - 3] ?? 0) ^ (w[t - 8] ?? 0) ^ (w[t - 14] ?? 0) ^ (w[t - 16] ?? 0)
    w[t] = (word << 1) | (word >>> 31)
  }
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  for (let t = 0; t < 20; t++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + (w[t] ?? 0)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 20; t < 40; t++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + (w[t] ?? 0)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 40; t < 60; t++) {
    const next = (((a << 5) | (a >>> 27)) + ((b & c) | (b & d) | (c & d)) + e + 0x8f1bbcdc + (w[t] ?? 0)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  for (let t = 60; t < 80; t++) {
    const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + (w[t] ?? 0)) | 0
    e = d
    d = c
    c = (b << 30) | (b >>> 2)
    b = a
    a = next
  }
  result[0] = (state[0] ?? 0) + a
  result[1] = (state[1] ?? 0) + b
  result[2] = (state[2] ?? 0) + c
  result[3] = (state[3] ?? 0) + d
  result[4] = (state[4] ?? 0) + e
}
