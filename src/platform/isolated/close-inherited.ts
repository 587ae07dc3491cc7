import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** Standard input, output and error, and the channel. */
const OURS = 3
const CLOSE_ON_EXEC = 0o2000000

/**
 * Closes what the processes above left open by mistake: Node hands on every descriptor that is not marked to be closed, also one that a shell
 * or a supervisor opened. What this process opened by itself carries the mark. On Linux; elsewhere nothing tells the two apart.
 */
export function closeInheritedDescriptors(): void {
  for (const name of namesIn('/proc/self/fd')) {
    const descriptor = Number(name)
    if (descriptor <= OURS || isMarked(descriptor)) continue
    try {
      closeSync(descriptor)
    } catch {
      // The folder's own descriptor, closed by now.
    }
  }
}

function isMarked(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0
  } catch {
    return true
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
