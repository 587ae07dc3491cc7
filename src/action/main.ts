import { writeSync } from 'node:fs'
import { runAction } from './run-action.ts'

// Written at once and in order: the runner reads commands line by line.
process.exitCode = await runAction(process.env, (line) => void writeSync(1, `${line}\n`))
