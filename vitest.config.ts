import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest begin first, by folder: a long one at the end keeps one worker waiting for the other. */
const LONGEST_FIRST = ['test/checks/documentation/', 'test/app/', 'test/database/', 'test/fuzz/', 'test/incremental', 'test/store/', 'test/checks/']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const i = LONGEST_FIRST.findIndex((folder) => moduleId.includes(`/${folder}`))
      return i < 0 ? LONGEST_FIRST.length : i
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // V8 of Node 24 now and then aborts when it frees WebAssembly code ("jit_page_->allocations_.erase"), and a worker with it
    execArgv: ['--no-wasm-code-gc'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
})
