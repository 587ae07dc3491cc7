import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // V8 of Node 24 now and then aborts when it frees WebAssembly code ("jit_page_->allocations_.erase"), and a worker with it
    execArgv: ['--no-wasm-code-gc'],
    maxWorkers: 2,
  },
})
