import { writeSync } from 'node:fs'

// Hears nothing: neither the end of its stream nor a signal that can be caught.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
writeSync(3, '"runs"\n')
for (;;);
