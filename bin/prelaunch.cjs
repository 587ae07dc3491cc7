#!/usr/bin/env node
// Plain ES5: it has to run far enough on an old Node to say what is wrong.
require('../scripts/require-node.cjs')
var fs = require('node:fs')
var path = require('node:path')
var url = require('node:url')
// A published package carries dist (Node does not strip types below node_modules); a checkout runs its sources.
var built = path.join(__dirname, '..', 'dist', 'src', 'cli.js')
var source = path.join(__dirname, '..', 'src', 'cli.ts')
import(url.pathToFileURL(fs.existsSync(source) ? source : built).href)
