/** More than any result that was measured takes (3 million characters in 170 000 values), and what the parent process can hold with ease. */
const MAX_VALUES = 5_000_000
const MAX_CHARACTERS = 200_000_000
const MAX_DEPTH = 30

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Why a value that another process sent is not plain JSON, or undefined: it holds only strings, finite numbers, booleans, null, objects without a prototype
 * of their own and arrays without properties of their own; no key reaches a prototype. Without recursion, in time linear in its size, which is bounded.
 */
export function notPlain(root: unknown): string | undefined {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }]
  let values = 0
  let characters = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next
    if (++values > MAX_VALUES || characters > MAX_CHARACTERS) return 'it is too large'
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'number') {
      if (!Number.isFinite(value)) return 'it holds a number that JSON has not'
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return 'it is nested too deeply'
      const children = childrenOf(value)
      if (!children) return 'it holds an object that JSON has not'
      for (const [key, child] of children) {
        characters += key.length
        stack.push({ value: child, depth: depth + 1 })
      }
    } else if (value !== undefined && value !== null && typeof value !== 'boolean') return 'it holds a value that JSON has not'
  }
  return undefined
}

/** Keys and values of a plain object or array; undefined when it is something else. */
function childrenOf(value: object): readonly (readonly [string, unknown])[] | undefined {
  const isArray = Array.isArray(value)
  if (Object.getPrototypeOf(value) !== (isArray ? Array.prototype : Object.prototype)) return undefined
  const keys = Reflect.ownKeys(value)
  if (isArray && keys.length !== value.length + 1) return undefined
  const children: (readonly [string, unknown])[] = []
  for (const key of keys) {
    if (typeof key !== 'string' || FORBIDDEN_KEYS.has(key)) return undefined
    const property = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor
    if (property.get || property.set) return undefined
    children.push([key, property.value])
  }
  return children
}
