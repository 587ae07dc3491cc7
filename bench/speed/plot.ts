/** One point: how many files changed, and milliseconds. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

const WIDTH = 640
const HEIGHT = 360
const EDGE = { left: 64, right: 150, top: 20, bottom: 44 }
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7']

/** Milliseconds of a warm audit over the number of changed files, both logarithmic, as SVG. */
export function plot(lines: readonly Line[], title: string): string {
  const all = lines.flatMap((l) => l.points)
  const xs = scale(1, Math.max(10, ...all.map((p) => p.x)), EDGE.left, WIDTH - EDGE.right)
  const ys = scale(Math.min(...all.map((p) => p.y)) * 0.7, Math.max(...all.map((p) => p.y)) * 1.4, HEIGHT - EDGE.bottom, EDGE.top)
  const ticks = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000].filter((t) => ys(t) > EDGE.top && ys(t) < HEIGHT - EDGE.bottom)
  const grid = ticks.map(
    (t) =>
      `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${ys(t)}" y2="${ys(t)}" stroke="#ddd"/><text x="${EDGE.left - 8}" y="${ys(t) + 4}" text-anchor="end">${t}</text>`,
  )
  const columns = [1, 10, 100].map((t) => `<text x="${xs(t)}" y="${HEIGHT - EDGE.bottom + 18}" text-anchor="middle">${t}</text>`)
  const curves = lines.map(({ name, points }, i) => {
    const color = COLORS[i % COLORS.length]
    const last = points.at(-1) as Point
    const dots = points.map((p) => `<circle cx="${xs(p.x)}" cy="${ys(p.y)}" r="3" fill="${color}"/>`).join('')
    const path = points.map((p) => `${xs(p.x)},${ys(p.y)}`).join(' ')
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots}<text x="${xs(last.x) + 8}" y="${ys(last.y) + 4}" fill="${color}">${name}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title><rect width="100%" height="100%" fill="#fff"/>`,
    ...grid,
    ...columns,
    ...curves,
    `<text x="${(EDGE.left + WIDTH - EDGE.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">changed files</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">milliseconds</text>`,
    '</svg>\n',
  ].join('\n')
}

function scale(from: number, to: number, low: number, high: number): (value: number) => number {
  const [a, b] = [Math.log(from), Math.log(to)]
  return (value) => Math.round((low + ((Math.log(value) - a) / (b - a)) * (high - low)) * 10) / 10
}
