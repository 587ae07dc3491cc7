import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startStage } from '../../test/support/github/start-app.ts'
import { CHANGED } from './changed-source.ts'
import { COLD } from './results.ts'

const CODE = /\.[cm]?[jt]sx?$/
/** Binary files are in the tree alone: nobody reads them. */
const MAX_BYTES = 64 << 10

/**
 * Requests to GitHub by what the whole App makes on a local one: a first audit and warm pull requests. The files have the paths and the sizes of the
 * repository and say nothing: what is asked for depends on how many and how large they are, and nothing has to be waited for.
 */
export async function countRequests(dir: string): Promise<Map<string, number>> {
  const paths = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], { cwd: dir, maxBuffer: 1 << 28 })
    .toString()
    .split('\0')
    .filter((path) => statSync(join(dir, path), { throwIfNoEntry: false })?.isFile())
  const stage = await startStage()
  try {
    const found = new Map<string, number>()
    const repo = stage.github.createRepository('octo/measured')
    const count = async (name: string, act: () => unknown) => {
      const before = stage.github.apiRequests().length
      act()
      await stage.settled()
      found.set(name, stage.github.apiRequests().length - before)
    }
    const files = Object.fromEntries(paths.map((path) => [path, padded(path, statSync(join(dir, path)).size, 0)]))
    await count(COLD, () => stage.github.push(repo, 'main', files))
    const code = paths.filter((p) => CODE.test(p))
    for (const size of CHANGED) {
      const changed = code.slice(0, size).map((path) => [path, padded(path, statSync(join(dir, path)).size, size)] as const)
      repo.git.commit(`change-${size}`, Object.fromEntries(changed), { from: 'refs/heads/main' })
      await count(`pull request of ${size}`, () => stage.github.openPullRequest(repo, { head: `change-${size}` }))
    }
    return found
  } finally {
    await stage.stop()
  }
}

/** A comment as long as the file, another in each version. */
function padded(path: string, size: number, version: number): string {
  const line = `// ${path} ${version} `
  return `${line.padEnd(Math.min(size, MAX_BYTES), '.')}\n`
}
