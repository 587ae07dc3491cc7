/** How many names are kept from one use to the next. */
const MAX_NAMES = 100_000
/** Numbers begin anew well before they no longer fit into 32 bits. */
const MAX_NUMBER = 2 ** 30
/** What a slot of the table holds: the number of a sequence, where the sequence is in the pool, for which use it was put there. */
const SLOT = 3

/**
 * Numbers sequences of integers: equal sequences get the same number until `forget`, different ones never do. What is put since `open` is numbered by
 * `close`; a sequence may be opened and closed while another is open. Nothing is allocated for a sequence that is known already, which is what
 * this is for: strings in its place are built and hashed only to find that out.
 */
export class SequenceNumbers {
  /** What is open, inner sequences behind outer ones. */
  private written = new Int32Array(256)
  private top = 0
  /** The sequences that are known, each behind its length. */
  private pool = new Int32Array(4096)
  private used = 0
  /** Open addressing, a power of two of slots. */
  private slots = new Int32Array(SLOT * 1024)
  private count = 0
  private use = 1
  private last = 0
  private names = new Map<string, number>()

  /** Where the sequence begins that is put next: for `close`. */
  open(): number {
    return this.top
  }

  put(value: number): void {
    if (this.top === this.written.length) this.written = grown(this.written)
    this.written[this.top++] = value
  }

  /** Puts a number, above zero, that stands for a text; nothing is the same as an empty one. */
  putName(name: string | undefined): void {
    this.put(name ? this.numberOf(name) : 0)
  }

  /** A number that no sequence has. */
  fresh(): number {
    return ++this.last
  }

  /** The number of what was put since `start`. */
  close(start: number): number {
    const length = this.top - start
    this.top = start
    const { slots, use } = this
    const mask = slots.length / SLOT - 1
    let slot = hashOf(this.written, start, length) & mask
    for (; slots[SLOT * slot + 2] === use; slot = (slot + 1) & mask)
      if (this.isKnownAt(slots[SLOT * slot + 1] as number, start, length)) return slots[SLOT * slot] as number
    const number = ++this.last
    this.fill(slot, number, this.keep(start, length))
    if (2 * ++this.count > mask) this.spread()
    return number
  }

  /** Begins another use: what was numbered before may get other numbers. None of the last billion is given out again. */
  forget(): void {
    this.use = (this.use + 1) | 0
    this.used = 0
    this.count = 0
    if (this.last > MAX_NUMBER) this.last = 0
    if (this.names.size > MAX_NAMES) this.names.clear()
  }

  private numberOf(name: string): number {
    let number = this.names.get(name)
    if (number === undefined) {
      number = this.names.size + 1
      this.names.set(name, number)
    }
    return number
  }

  private isKnownAt(at: number, start: number, length: number): boolean {
    const { pool, written } = this
    if (pool[at] !== length) return false
    for (let i = 0; i < length; i++) if (pool[at + 1 + i] !== written[start + i]) return false
    return true
  }

  private keep(start: number, length: number): number {
    while (this.used + length + 1 > this.pool.length) this.pool = grown(this.pool)
    const at = this.used
    this.pool[at] = length
    for (let i = 0; i < length; i++) this.pool[at + 1 + i] = this.written[start + i] as number
    this.used += length + 1
    return at
  }

  private fill(slot: number, number: number, at: number): void {
    this.slots[SLOT * slot] = number
    this.slots[SLOT * slot + 1] = at
    this.slots[SLOT * slot + 2] = this.use
  }

  /** Twice as many slots. */
  private spread(): void {
    const before = this.slots
    this.slots = new Int32Array(2 * before.length)
    const mask = this.slots.length / SLOT - 1
    for (let i = 0; i < before.length; i += SLOT) {
      if (before[i + 2] !== this.use) continue
      const at = before[i + 1] as number
      let slot = hashOf(this.pool, at + 1, this.pool[at] as number) & mask
      while (this.slots[SLOT * slot + 2] === this.use) slot = (slot + 1) & mask
      this.fill(slot, before[i] as number, at)
    }
  }
}

function hashOf(values: Int32Array, start: number, length: number): number {
  let hash = length
  for (let i = start; i < start + length; i++) {
    hash = Math.imul(hash ^ (values[i] as number), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

function grown(values: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * values.length)
  more.set(values)
  return more
}
