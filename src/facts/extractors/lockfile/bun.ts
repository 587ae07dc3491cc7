import { parse as parseBinary } from '@hyrious/bun.lockb'
import { findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser'
import { lineFinder } from '../../../lib/line-finder.ts'
import type { LockedDependency, LockfileFacts, LockImporter } from '../../kinds.ts'
import { PackageTable, record, splitKey, strings } from './package-table.ts'
import { parseClassic } from './yarn.ts'

/** bun.lock: JSON with trailing commas; packages are arrays that begin with `name@version`, keyed by their path of dependants. */
export function parseBunText(text: string): LockfileFacts {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const data = tree && record(getNodeValue(tree))
  if (!tree || !data) throw new Error('is not a JSON object')
  const lineAt = lineFinder(text)
  const lines = new Map((findNodeAtLocation(tree, ['packages'])?.children ?? []).map((p) => [String(p.children?.[0]?.value ?? ''), lineAt(p.offset)]))
  const packages = record(data.packages) ?? {}
  const keyAt = (place: string): string | undefined => {
    const entry = Object.hasOwn(packages, place) ? packages[place] : undefined
    const id = Array.isArray(entry) ? entry[0] : undefined
    const key = typeof id === 'string' ? splitKey(id) : undefined
    return key && /^\d/.test(key.version) ? `${key.name}@${key.version}` : undefined
  }
  /** `a/b` is the b of a; without such an entry a gets what its own dependant gets. */
  const resolve = (place: string, name: string): string | undefined => {
    for (let at = place; at !== ''; at = enclosing(at)) {
      const key = keyAt(`${at}/${name}`)
      if (key) return key
    }
    return keyAt(name)
  }
  const table = new PackageTable()
  for (const [place, value] of Object.entries(packages)) {
    const key = keyAt(place)
    const split = key && splitKey(key)
    if (!split || !Array.isArray(value)) continue
    const meta = value.map(record).find((v) => v !== undefined) ?? {}
    const wanted = [...strings(meta.dependencies), ...strings(meta.optionalDependencies)]
    table.add({ ...split, line: lines.get(place) ?? 1, requires: wanted.map(([name]) => resolve(place, name)).filter((k): k is string => k !== undefined) })
  }
  const importers: LockImporter[] = Object.entries(record(data.workspaces) ?? {}).map(([dir, value]) => {
    const workspace = record(value) ?? {}
    const scope = typeof workspace.name === 'string' && dir !== '' ? workspace.name : ''
    const direct = (group: unknown, dev: boolean): LockedDependency[] =>
      strings(group).flatMap(([name]) => {
        const resolved = scope ? resolve(scope, name) : keyAt(name)
        return resolved ? [{ name, resolved, dev }] : []
      })
    return {
      dir,
      dependencies: [...direct(workspace.dependencies, false), ...direct(workspace.optionalDependencies, false), ...direct(workspace.devDependencies, true)],
    }
  })
  return { format: 'bun', packages: table.list(), importers }
}

/** `@s/a/b` → `@s/a`; '' for a single package. */
function enclosing(place: string): string {
  const parts = place.split('/')
  const last = parts.at(-2)?.startsWith('@') ? 2 : 1
  return parts.slice(0, -last).join('/')
}

/** bun.lockb: binary, handed over with one character per byte. It is printed in yarn's format by its own parser and read like that. */
export function parseBunBinary(latin1: string): LockfileFacts {
  const bytes = Uint8Array.from(latin1, (c) => c.charCodeAt(0))
  return parseClassic(parseBinary(inSecondFormat(bytes)), new Map(), 'bun')
}

const HEADER = '#!/usr/bin/env bun\nbun-lockfile-format-v0\n'.length
/** Format, hash, end of the file, number of packages, alignment, number of fields, begin and end of the list of packages. */
const PACKAGES_BEGIN = HEADER + 4 + 32 + 8 * 4
/** A resolution: eight bytes of its kind, eight of its address, the version's three numbers (and padding), 32 of its tags. */
const NUMBERS_AT = 16
const THIRD = { resolution: 72, numbers: 3 * 8 }
const SECOND = { resolution: 64, numbers: 3 * 4 + 4 }

/**
 * The third format as the second, which the parser knows. They differ in the numbers of versions, eight bytes long and not four
 * (`Lockfile.FormatVersion` of Bun). The list of packages is a column after the other; what it no longer fills stays at its end.
 */
function inSecondFormat(bytes: Uint8Array): Uint8Array {
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < PACKAGES_BEGIN + 16 || from.getUint32(HEADER, true) !== 3) return bytes
  const count = Number(from.getBigUint64(HEADER + 4 + 32 + 8, true))
  const begin = Number(from.getBigUint64(PACKAGES_BEGIN, true))
  const end = Number(from.getBigUint64(PACKAGES_BEGIN + 8, true))
  // name and hash of the name, eight bytes each, stand before the resolutions
  const resolutions = begin + count * 16
  if (!(end <= bytes.length && resolutions + count * THIRD.resolution <= end)) throw new Error('its list of packages is cut off')
  const copy = bytes.slice()
  const to = new DataView(copy.buffer)
  to.setUint32(HEADER, 2, true)
  for (let i = 0; i < count; i++) {
    const source = resolutions + i * THIRD.resolution
    const target = resolutions + i * SECOND.resolution
    copy.set(bytes.subarray(source, source + NUMBERS_AT), target)
    for (let n = 0; n < 3; n++) to.setUint32(target + NUMBERS_AT + n * 4, Number(from.getBigUint64(source + NUMBERS_AT + n * 8, true)), true)
    copy.set(bytes.subarray(source + NUMBERS_AT + THIRD.numbers, source + THIRD.resolution), target + NUMBERS_AT + SECOND.numbers)
  }
  copy.set(bytes.subarray(resolutions + count * THIRD.resolution, end), resolutions + count * SECOND.resolution)
  return copy
}
