import type { Declaration, Field, Part } from './fields.ts'

/** The languages of messages, by their own names. */
const languages = {
  de: 'Deutsch',
  'en-US': 'English',
  'es-ES': 'Español',
  fr: 'Français',
  ja: '日本語',
  ko: '한국어',
  'pt-BR': 'Português (Brasil)',
  ru: 'Русский',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
}

/** The facts about a node from which its form is made. */
export interface FormOf {
  set: string
  declaration: Declaration
  /** `node-input`, or `node-config-input` of a config node. */
  prefix: string
}

/**
 * Returns the form of a node, a template of html.
 * @param written the form as it is written by hand, with a line `{{field}}` in place of a row that is not; without it, the
 *   form is that of the declaration
 */
export function formOf(of: FormOf, written: string | undefined): string {
  const { set, declaration } = of
  const rows = Object.entries(declaration.fields).filter(([, { kind }]) => kind !== 'source')
  const parts = declaration.form ?? rows.map(([name]) => name)
  const template =
    written ??
    `<script type="text/html" data-template-name="keyholder-${set}">
<div class="keyholder-dialog">
${parts.map((part) => placeOf(set, part)).join('\n')}
  {{name}}
  <div class="form-tips" data-i18n="${set}.tip.input"></div>
</div>
</script>
`
  return template.replace(/^( *)\{\{(\w+)\}\}$/gm, (_line, indent: string, field: string) =>
    indented(rowOf(of, field), indent),
  )
}

function placeOf(set: string, part: Part): string {
  if (typeof part === 'string') return `  {{${part}}}`
  if ('tip' in part)
    return `  <div class="form-tips" data-i18n="${set}.tip.${part.tip}" style="margin-bottom: 12px"></div>`
  return `  <details id="keyholder-${set}-${part.details}" style="margin-bottom: 12px">
    <summary data-i18n="${set}.label.${part.details}"></summary>
${part.parts.map((field) => `    {{${field}}}`).join('\n')}
  </details>`
}

/** Returns a text with each line indented that is not empty. */
export function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent)
}

/** Returns the row of a field, without indentation. */
function rowOf({ set, declaration, prefix }: FormOf, name: string): string {
  const field = name === 'name' ? nameField(set) : declaration.fields[name]
  if (field === undefined) throw new Error(`The form of ${set} shows "${name}", which is no setting of it.`)
  const id = `${prefix}-${name}`
  const label = `${set}.label.${name}`
  const icon = `<i class="fa fa-${field.icon}"></i> <span data-i18n="${label}"></span>`
  if (field.kind === 'boxes') return boxesOf(set, name, icon, field)
  if (field.boxOf !== undefined)
    return `<div class="keyholder-kind" data-kind="${field.boxOf}">
  <label for="${id}" data-i18n="${label}"></label>
  <span class="keyholder-after"><input type="text" id="${id}" placeholder="0"> <span data-i18n="${set}.after.minutes"></span></span>
</div>`
  const opened = `<div class="form-row"${field.isHidden ? ` id="keyholder-${set}-${name}"` : ''}>`
  if (field.kind === 'flag')
    return `${opened}
  <input type="checkbox" id="${id}" style="display: inline-block; width: auto; vertical-align: top">
  <label for="${id}" style="width: auto" data-i18n="${label}"></label>
</div>`
  const isList = field.kind === 'ids' || field.kind === 'list'
  const inputId = isList ? `${id}-list` : id
  return `${opened}
  <label for="${inputId}">${icon}</label>
${indented(inputOf(set, name, inputId, field), '  ')}
</div>`
}

function nameField(set: string): Pick<Field, 'kind' | 'icon' | 'attributes'> & Field {
  const attributes = `data-i18n="[placeholder]${set}.label.name"`
  return { kind: 'text', value: '', icon: 'tag', attributes, read: () => '' }
}

function inputOf(set: string, name: string, id: string, field: Field): string {
  const { texts = name, attributes, hasPlaceholder } = field
  const shown = hasPlaceholder ? [`data-i18n="[placeholder]${set}.placeholder.${name}"`] : []
  const ending = `${[...shown, ...(attributes ? [attributes] : [])].map((one) => ` ${one}`).join('')}>`
  switch (field.kind) {
    case 'choice':
      return selectOf(
        id,
        field.words.map((word) => `<option value="${word}" data-i18n="${set}.${texts}.${word}"></option>`),
      )
    case 'language':
      return selectOf(id, [
        `<option value="" data-i18n="${set}.language.account"></option>`,
        ...Object.entries(languages).map(([code, said]) => `<option value="${code}">${said}</option>`),
      ])
    case 'number': {
      const unit = `keyholder-${set}-${name}-unit`
      return `<input type="text" class="keyholder-number" id="${id}" aria-describedby="${unit}" inputmode="${field.inputMode ?? 'decimal'}"${ending}
<span id="${unit}" data-i18n="${set}.unit.${texts}"></span>`
    }
    case 'typed':
      return `<input type="text" id="${id}"${ending}\n<input type="hidden" id="${id}Type">`
    case 'locale': {
      const list = `keyholder-${set}-locales`
      const options = Object.entries(languages).map(([code, said]) => {
        const { language, region } = new Intl.Locale(code).maximize()
        return `  <option value="${language}_${region}">${said}</option>`
      })
      return `<input type="text" id="${id}" list="${list}"${ending}
<datalist id="${list}">
${options.join('\n')}
</datalist>`
    }
    default:
      return `<input type="${typeOf(field)}" id="${id}"${ending}`
  }
}

/** Returns the type of the input for a text, or of a credential. */
export function typeOf({ kind, isReadable }: Field): 'text' | 'password' {
  return kind === 'secret' && !isReadable ? 'password' : 'text'
}

function selectOf(id: string, options: readonly string[]): string {
  return `<select id="${id}">\n${options.map((option) => `  ${option}`).join('\n')}\n</select>`
}

function boxesOf(set: string, name: string, icon: string, { words, texts = name }: BoxesField): string {
  const boxes = words.map((word) => {
    const said = `<span data-i18n="${set}.${texts}.${word}"></span>`
    return `  <label class="checkbox"><input type="checkbox" value="${word}"> ${said}</label>`
  })
  const id = `keyholder-${set}-${name}`
  return `<div id="${id}" style="margin-bottom: 5px">${icon}</div>
<div id="node-input-${name}-list" role="group" aria-labelledby="${id}" class="keyholder-indented">
${boxes.join('\n')}
</div>`
}

type BoxesField = Extract<Field, { kind: 'boxes' }>
