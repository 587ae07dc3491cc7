// Plain ES5 without `node:` names: it must run on the Node that is too old.
// biome-ignore-start lint/style/useNodejsImportProtocol: older than 14.18 knows no such names
var fs = require('fs')
var path = require('path')
// biome-ignore-end lint/style/useNodejsImportProtocol: as above
var parts = process.versions.node.split('.')
var major = Number(parts[0])
var minor = Number(parts[1])
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    'Prelaunch needs Node 22.18 or newer, but this is ' +
      process.version +
      '. Install Node 24 from https://nodejs.org' +
      // Only a checkout has sources, and with them a Node among its development packages.
      (fs.existsSync(path.join(__dirname, '..', 'src'))
        ? ', or run "npm ci" without --ignore-scripts and --omit=dev, which brings a Node 24 of its own.'
        : '.'),
  )
  // Like an audit that could not be completed: 1 would mean findings.
  process.exit(3)
}
