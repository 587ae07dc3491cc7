import { CHANGED } from './changed-source.ts'
import { COLD, type Results } from './results.ts'

interface Point {
  readonly x: number
  readonly y: number
}

interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

interface Panel {
  readonly title: string
  readonly axis: string
  readonly ticks: readonly number[]
  readonly lines: readonly Line[]
}

const WIDTH = 640
const HEIGHT = 340
const EDGE = { left: 64, right: 190, top: 36, bottom: 44 }
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#555']
const MILLISECONDS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]

/** CPU time of what was measured as SVG: over the number of changed files and over the size of the repository, all axes logarithmic. */
export function drawResults(results: Results, repositories: readonly string[]): string {
  const nameOf = (repository: string) => repository.split('/')[1] as string
  const line = (name: string, points: readonly (readonly [number, number | undefined])[]): Line => ({
    name,
    points: points.flatMap(([x, y]) => (x > 0 && y ? [{ x, y }] : [])),
  })
  const bySize = (name: string, row: string) =>
    line(
      name,
      repositories.map((r) => [results.sizes[r] ?? 0, results.median(r, row, 'cpu')] as const).sort(([a], [b]) => a - b),
    )
  const panels: Panel[] = [
    {
      title: 'A warm pull request',
      axis: 'changed files',
      ticks: CHANGED,
      lines: repositories.map((r) =>
        line(
          nameOf(r),
          CHANGED.map((n) => [n, results.median(r, `pull request of ${n}`, 'cpu')]),
        ),
      ),
    },
    {
      title: 'A repository',
      axis: 'source files',
      ticks: [30, 100, 300, 1000, 3000],
      lines: [
        bySize('cold audit', COLD),
        bySize('pull request of 10', 'pull request of 10'),
        bySize('ESLint, security plug-in', 'peer: ESLint, security plug-in'),
        bySize('react-doctor', 'peer: react-doctor'),
        bySize('TypeScript parse', 'floor: TypeScript parse, one thread'),
      ],
    },
  ]
  const drawn = panels.filter((p) => p.lines.some((l) => l.points.length > 0))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT * drawn.length}" font-family="sans-serif" font-size="12">`,
    '<title>CPU time of audits over the change and over the repository</title><rect width="100%" height="100%" fill="#fff"/>',
    ...drawn.map((p, i) => `<g transform="translate(0 ${i * HEIGHT})">\n${draw({ ...p, lines: p.lines.filter((l) => l.points.length > 0) })}\n</g>`),
    '</svg>\n',
  ].join('\n')
}

function draw({ title, axis, ticks, lines }: Panel): string {
  const all = lines.flatMap((l) => l.points)
  const xs = scale(Math.min(ticks[0] as number, ...all.map((p) => p.x)), Math.max(...ticks, ...all.map((p) => p.x)), EDGE.left, WIDTH - EDGE.right)
  const ys = scale(Math.min(...all.map((p) => p.y)) * 0.7, Math.max(...all.map((p) => p.y)) * 1.4, HEIGHT - EDGE.bottom, EDGE.top)
  const rows = MILLISECONDS.filter((t) => ys(t) >= EDGE.top && ys(t) <= HEIGHT - EDGE.bottom).map(
    (t) =>
      `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${ys(t)}" y2="${ys(t)}" stroke="#ddd"/><text x="${EDGE.left - 8}" y="${ys(t) + 4}" text-anchor="end">${t}</text>`,
  )
  const columns = ticks.map((t) => `<text x="${xs(t)}" y="${HEIGHT - EDGE.bottom + 18}" text-anchor="middle">${t}</text>`)
  const labels = apart(lines.map((l) => ys((l.points.at(-1) as Point).y)))
  const curves = lines.map(({ name, points }, i) => {
    const color = COLORS[i % COLORS.length]
    const last = points.at(-1) as Point
    const dots = points.map((p) => `<circle cx="${xs(p.x)}" cy="${ys(p.y)}" r="3" fill="${color}"/>`).join('')
    const path = points.map((p) => `${xs(p.x)},${ys(p.y)}`).join(' ')
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots}<text x="${xs(last.x) + 8}" y="${(labels[i] as number) + 4}" fill="${color}">${name}</text>`
  })
  return [
    ...rows,
    ...columns,
    ...curves,
    `<text x="${EDGE.left}" y="20" font-weight="bold">${title}</text>`,
    `<text x="${(EDGE.left + WIDTH - EDGE.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${axis}</text>`,
    `<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">CPU milliseconds</text>`,
  ].join('\n')
}

/** Moves labels down until none covers another. */
function apart(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] as number) - (heights[b] as number))
  const placed = [...heights]
  for (let i = 1; i < order.length; i++) {
    const [above, here] = [order[i - 1] as number, order[i] as number]
    placed[here] = Math.max(placed[here] as number, (placed[above] as number) + 14)
  }
  return placed
}

function scale(from: number, to: number, low: number, high: number): (value: number) => number {
  const [a, b] = [Math.log(from), Math.log(to)]
  return (value) => Math.round((low + ((Math.log(value) - a) / (b - a)) * (high - low)) * 10) / 10
}
