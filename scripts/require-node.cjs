// Plain ES5 on purpose: it must run on any Node to be able to refuse it.
var wanted = [22, 18]
var parts = process.versions.node.split('.')
var major = Number(parts[0])
var minor = Number(parts[1])
if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write('Prelaunch needs Node ' + wanted.join('.') + ' or newer and this is ' + process.versions.node + ': install Node 24 (https://nodejs.org), or run npm ci without --ignore-scripts, which brings it along.\n')
  process.exit(1)
}
