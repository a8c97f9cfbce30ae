import { type AnyNode, type Node, type Program, parse } from 'acorn'

/** A module as the body of a function, see `toCommonJs`. */
export interface CommonJsModule {
  /** The body of a function with the parameters `exports`, `require` and `moduleUrl`. */
  readonly body: string
  /** The names of what it imports, relative or by name, at its start or later. */
  readonly imports: readonly string[]
}

/**
 * Converts a module of the product to the body of a function, so that it can be evaluated again and again: Node keeps each
 * ECMAScript module for ever. Lines stay where they are.
 * @param text compiled, so it has no types
 * @throws SyntaxError for what no module of the product has, such as `export *`
 */
export function toCommonJs(text: string): CommonJsModule {
  const program: Program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' })
  const edits: Edit[] = []
  const exported = new Map<string, string>()
  const imports: string[] = []
  for (const statement of program.body) convert(statement, { text, edits, exported, imports })
  visit(program, (node) => {
    if (node.type === 'MetaProperty') edits.push({ ...node, with: '({ url: moduleUrl })' })
    if (node.type !== 'ImportExpression') return
    const name = nameOf(node.source)
    imports.push(name)
    edits.push({ ...node, with: `Promise.resolve().then(() => require(${JSON.stringify(name)}))` })
  })
  const getters = [...exported].map(([name, local]) => `get ${JSON.stringify(name)}() { return ${local} }`)
  const head = `'use strict'; Object.defineProperties(exports, Object.getOwnPropertyDescriptors({ ${getters.join(', ')} }));`
  return { body: `${head}${edited(text, edits)}`, imports }
}

/** A piece of the text that something else replaces. */
interface Edit {
  start: number
  end: number
  with: string
}

interface Conversion {
  readonly text: string
  readonly edits: Edit[]
  /** The local names of what is exported. */
  readonly exported: Map<string, string>
  readonly imports: string[]
}

function convert(statement: Program['body'][number], { edits, exported, imports }: Conversion): void {
  switch (statement.type) {
    case 'ImportDeclaration': {
      const name = nameOf(statement.source)
      imports.push(name)
      const required = `require(${JSON.stringify(name)})`
      const names = statement.specifiers.map((one) =>
        one.type === 'ImportNamespaceSpecifier'
          ? one.local.name
          : `${one.type === 'ImportDefaultSpecifier' ? 'default' : identifierOf(one.imported)}: ${one.local.name}`,
      )
      const isNamespace = statement.specifiers[0]?.type === 'ImportNamespaceSpecifier'
      const pattern = isNamespace ? names[0] : `{ ${names.join(', ')} }`
      edits.push({
        ...statement,
        with: names.length === 0 ? `${required};` : `const ${pattern} = ${required};`,
      })
      return
    }
    case 'ExportNamedDeclaration': {
      const { declaration, source, specifiers } = statement
      if (declaration) {
        for (const name of declaredBy(declaration)) exported.set(name, name)
        edits.push({ start: statement.start, end: declaration.start, with: '' })
        return
      }
      const from = source ? nameOf(source) : undefined
      if (from !== undefined) imports.push(from)
      for (const one of specifiers) {
        const local = identifierOf(one.local)
        exported.set(
          identifierOf(one.exported),
          from === undefined ? local : `require(${JSON.stringify(from)}).${local}`,
        )
      }
      edits.push({ ...statement, with: '' })
      return
    }
    case 'ExportDefaultDeclaration': {
      const { declaration } = statement
      const named = 'id' in declaration ? declaration.id?.name : undefined
      if (named === undefined) throw new SyntaxError('a default export must have a name')
      exported.set('default', named)
      edits.push({ start: statement.start, end: declaration.start, with: '' })
      return
    }
    case 'ExportAllDeclaration':
      throw new SyntaxError('export * is not converted')
    default:
  }
}

type Declaration = NonNullable<
  Extract<Program['body'][number], { type: 'ExportNamedDeclaration' }>['declaration']
>

function declaredBy(declaration: Declaration): string[] {
  if (declaration.type !== 'VariableDeclaration') return [declaration.id.name]
  return declaration.declarations.map(({ id }) => {
    if (id.type === 'Identifier') return id.name
    throw new SyntaxError('a destructured export is not converted')
  })
}

function identifierOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.name ?? `${node.value}`
}

function nameOf(source: AnyNode): string {
  if (source.type === 'Literal') return `${source.value}`
  throw new SyntaxError('the name of an imported module is computed')
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    const lines = text.slice(edit.start, edit.end).split('\n').length - edit.with.split('\n').length
    result += text.slice(at, edit.start) + edit.with + '\n'.repeat(Math.max(0, lines))
    at = edit.end
  }
  return result + text.slice(at)
}

function visit(node: Node, look: (node: AnyNode) => void): void {
  look(node as AnyNode)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') visit(child, look)
  }
}
