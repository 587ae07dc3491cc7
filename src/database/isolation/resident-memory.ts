import { readFileSync } from 'node:fs'

/** Linux counts resident memory in pages; 4 KiB on every machine that Node is built for, or more. */
const PAGE = 4096

/**
 * Resident memory of a process and of all that descend from it, in bytes, as the kernel counts it: in namespaces the process that was started is a
 * wrapper. Undefined where the kernel does not say.
 */
export function residentBytes(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  const sizes = withDescendants(pid).map(residentOf)
  return sizes.some((size) => size !== undefined) ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) : undefined
}

function withDescendants(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)]
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function residentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE
  } catch {
    return undefined
  }
}
