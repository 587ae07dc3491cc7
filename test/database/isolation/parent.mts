import { ALL_LAYERS, onlyLayers } from '../../../src/database/isolation/layers.ts'
import { startProbe } from './answer-of.ts'

// Starts a sandbox that hears nothing, says so, and waits to be killed.
const sandbox = await startProbe(process.argv[2] === 'all' ? ALL_LAYERS : onlyLayers(), 'hang.mjs', {})
sandbox.listen({ onAnswer: () => console.log('runs'), onEnd: () => console.log('ended') })
setInterval(() => undefined, 1000)
