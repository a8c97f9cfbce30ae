import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, root), 'utf8')
const page = read('docs/architecture.md')
const decisions = read('docs/decisions.md')
const [, diagram = ''] = /```mermaid\n([\s\S]*?)```/.exec(page) ?? []

/** The files of the diagram, each with the folder of its subgraph. */
const passed = diagram.split(/(?=subgraph )/).flatMap((part, index) => {
  const folder = index === 0 ? 'src' : (/\["([^"]+)"\]/.exec(part)?.[1] ?? 'nodes')
  return [...part.matchAll(/\["([^"]+\.ts)"\]/g)].map(([, file]) => `${folder}/${file}`)
})

describe('The page about the architecture', () => {
  it('shows a poll that passes existing files, each once and 25 at most', () => {
    assert.ok(passed.length > 20, String(passed))
    assert.ok(passed.length <= 25, String(passed.length))
    assert.equal(new Set(passed).size, passed.length)
    assert.deepEqual(
      passed.filter((file) => !existsSync(new URL(file, root))),
      [],
    )
  })

  it('names only files that exist, like the page about the decisions', () => {
    const text = (page + decisions).replace(/```[\s\S]*?```/g, '').replaceAll(/<language>/g, 'en-US')
    const named = [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+(?:\.(?:ts|mjs|md|json|html)|\/))`/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(named.length > 100)
    // The build writes `dist/`.
    const folders = [
      '',
      'src/',
      'src/panel/events/',
      'src/panel/commands/',
      'src/account/service-user/rate-limit/',
    ]
    assert.deepEqual(
      named.filter(
        (path) => path !== 'dist/' && !folders.some((folder) => existsSync(new URL(folder + path, root))),
      ),
      [],
    )
  })

  it('has a table of what to open, with at least thirty rows and a file that exists in each', () => {
    const [, table = ''] = /\| to change \| open \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? []
    const rows = table.trim().split('\n')
    assert.ok(rows.length >= 30, `${rows.length}`)
    assert.deepEqual(
      rows.filter((row) => !/`(?:src|nodes|examples)\//.test(row)),
      [],
    )
  })

  it('gives each decision a heading', () => {
    assert.ok((decisions.match(/^## /gm) ?? []).length > 20)
    assert.doesNotMatch(decisions, /^\*\*/m)
  })
})
