/** A line of a chart: its points by the number on the x axis. */
export interface Series {
  title: string
  unit: string
  points: readonly (readonly [number, number])[]
}

const width = 300
const height = 200
const edge = { left: 52, right: 16, top: 34, bottom: 34 }

/** Colors for a light page, and for a dark one if the reader's system prefers it. */
const style = `
text { font: 12px system-ui, sans-serif; fill: #444 }
.title { font-weight: 600; fill: #111 }
.axis { stroke: #bbb }
.line { stroke: #0b6bcb; stroke-width: 2; fill: none }
.point { fill: #0b6bcb }
@media (prefers-color-scheme: dark) {
  text { fill: #bbb }
  .title { fill: #eee }
  .axis { stroke: #555 }
  .line { stroke: #58a6ff }
  .point { fill: #58a6ff }
}`

/** Returns an SVG with a small chart for each series, two in a row; the x axis is logarithmic. */
export function chartsOf(grows: string, all: readonly Series[]): string {
  const rows = Math.ceil(all.length / 2)
  const charts = all.map((series, place) => {
    const at = `translate(${(place % 2) * width} ${Math.floor(place / 2) * height})`
    return `<g transform="${at}">${chartOf(grows, series)}</g>`
  })
  const size = `viewBox="0 0 ${2 * width} ${rows * height}" width="${2 * width}" height="${rows * height}"`
  const title = `<title>${all.map((one) => one.title).join(', ')} by number of ${grows}</title>`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n${title}\n<style>${style}</style>\n${charts.join('\n')}\n</svg>\n`
}

function chartOf(grows: string, { title, unit, points }: Series): string {
  const decades = Math.log10(Math.max(10, ...points.map(([count]) => count)))
  const most = rounded(Math.max(...points.map(([, value]) => value)))
  const right = width - edge.right
  const bottom = height - edge.bottom
  const x = (count: number) => edge.left + ((right - edge.left) * Math.log10(count)) / decades
  const y = (value: number) => bottom - ((bottom - edge.top) * value) / most
  const line = points.map(([count, value]) => `${x(count).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  return [
    `<text class="title" x="${edge.left}" y="18">${title}, ${unit}</text>`,
    `<path class="axis" d="M${edge.left} ${edge.top}V${bottom}H${right}" fill="none"/>`,
    ...[0, most / 2, most].map((value) => label(edge.left - 6, y(value) + 4, 'end', value)),
    ...points.map(([count]) => label(x(count), bottom + 16, 'middle', count)),
    `<text x="${right}" y="${bottom + 30}" text-anchor="end">${grows}</text>`,
    `<polyline class="line" points="${line}"/>`,
    ...points.map(([count, value]) => `<circle class="point" cx="${x(count)}" cy="${y(value)}" r="3"/>`),
  ].join('')
}

function label(x: number, y: number, anchor: string, value: number): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${value.toLocaleString('en-US')}</text>`
}

/** Returns the next number of the form 1, 2 or 5 times a power of ten. */
function rounded(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return power * (([1, 2, 5].find((step) => step * power >= value) as number) ?? 10)
}
