// Plain ES5: it must run on the Node that is too old.
var parts = process.versions.node.split('.')
var major = Number(parts[0])
var minor = Number(parts[1])
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    'Prelaunch needs Node 22.18 or newer, but this is ' +
      process.version +
      ': install Node 24 from https://nodejs.org, or run "npm ci" without --ignore-scripts and --omit=optional, which brings a Node 24 of its own.',
  )
  process.exit(1)
}
