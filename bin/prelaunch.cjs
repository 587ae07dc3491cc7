#!/usr/bin/env node
// Node opens its inspector on SIGUSR1, and through it runs any code. A listener takes the place of that (a flag cannot be given after the start).
process.on('SIGUSR1', () => {})
// Plain ES5: it has to run far enough on an old Node to say what is wrong.
require('../scripts/require-node.cjs')
var fs = require('node:fs')
var path = require('node:path')
var url = require('node:url')
// What Node compiles (and strips of types) is kept for the next start, where only this user can write: a fifth of the time for short commands.
var cache = path.join(process.env.XDG_CACHE_HOME || path.join(require('node:os').homedir(), '.cache'), 'prelaunch')
if (!process.env.NODE_COMPILE_CACHE) process.env.NODE_COMPILE_CACHE = cache // for threads
var enable = require('node:module').enableCompileCache
if (enable) enable(process.env.NODE_COMPILE_CACHE)
// A published package carries dist (Node does not strip types below node_modules); a checkout runs its sources.
var built = path.join(__dirname, '..', 'dist', 'src', 'cli.js')
var source = path.join(__dirname, '..', 'src', 'cli.ts')
import(url.pathToFileURL(fs.existsSync(source) ? source : built).href)
