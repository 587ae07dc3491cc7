import { describe, expect, test } from 'vitest'
import { isTrampoline } from '../../../src/database/isolation/wasm-gate.ts'
import { hostileModule } from './hostile-module.mts'

const module = (types: readonly number[], end: readonly number[] = END) => Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, ...types, ...end])
const END = [2, 7, 1, 1, 0x65, 1, 0x66, 0, 0, 7, 5, 1, 1, 0x66, 0, 0]
/** (i32, i64) -> f64, sizes in two bytes as the engine's loader writes them. */
const TYPES = [0x89, 0, 1, 0x60, 0x82, 0, 0x7f, 0x7e, 0x81, 0, 0x7c]

describe('a module that gives a function a type', () => {
  test.each([
    ['sizes in two bytes', module(TYPES)],
    ['sizes in one byte', module([6, 1, 0x60, 2, 0x7f, 0x7e, 0])],
  ])('%s is let through, and is a module', (_, bytes) => {
    expect(isTrampoline(bytes)).toBe(true)
    expect(WebAssembly.validate(bytes)).toBe(true)
  })

  test.each([
    ['a byte after the end', module(TYPES, [...END, 0])],
    ['a section of code', module(TYPES, [...END, 10, 1, 0])],
    ['another import', module(TYPES, END.with(4, 0x66))],
    ['a type that is no number', module(TYPES.with(6, 0x6f))],
    ['a size that does not add up', module(TYPES.with(0, 0x8a))],
    ['a module that ends early', module(TYPES).subarray(0, 20)],
    ['nothing', new Uint8Array()],
    ['a side module', hostileModule('1')],
  ])('%s is not', (_, bytes) => {
    expect(isTrampoline(bytes)).toBe(false)
  })
})
