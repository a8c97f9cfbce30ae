import { recallChoices, requestChoices } from '../admin-requests.mjs'
import { createFailureLines, describeRequestFailure } from '../failure-message.mjs'
import { describeTypedInput, isFixedValue } from '../typed-input.mjs'
import { collectWords, showCheckboxTree } from './checkbox-tree.mjs'
import { sources } from './choice-sources.mjs'
import { addChosenNames } from './chosen-names.mjs'
import { isVariable, splitList, toggleListItem } from './list-field.mjs'

const panel = '@keyholder/node-red-alarm-panel/keyholder:panel'

/** From this number of choices on, there is a search field. */
const searchFrom = 12

/**
 * Returns a leaf for a selected word that is not offered; it is labeled unavailable only if the list is
 * complete.
 * @param name of the word if one is known without the panel
 */
function createUnlistedLeaf(word, isWhole, name = word) {
  if (isVariable(word)) return { word, label: word, sublabel: RED._(`${panel}.choices.variable`) }
  const raw = name === word ? '' : word
  const remark = isWhole ? RED._(`${panel}.choices.unavailable`) : ''
  return { word, label: name, sublabel: [raw, remark].filter(Boolean).join(' · ') }
}

function createChooseButton(name, caption) {
  const label = RED._(`${panel}.label.choose`)
  const icon = $('<i class="fa fa-list" aria-hidden="true">')
  return $('<button type="button" class="red-ui-button">')
    .attr({
      id: `keyholder-${name}-choose`,
      'aria-label': `${label} ${caption}`,
      'aria-expanded': 'false',
      'aria-controls': `keyholder-${name}-choices`,
    })
    .append(icon, ' ', $('<span>').text(label))
}

/** Adds a search field above a tree; it filters the choices. */
function addSearch(element, tree) {
  const caption = RED._(`${panel}.choices.search`)
  const field = $('<input type="text">').attr({ placeholder: caption, 'aria-label': caption })
  element.before($('<div>').append(field))
  field.searchBox({ delay: 200, change: () => tree.filter(field.val()) })
  // The Escape key has the same function.
  field.siblings('a').attr({ tabindex: -1, 'aria-hidden': 'true' })
}

/**
 * Adds a button to a field that shows the available choices below it, and a line with the names of the selected
 * ones. The text in the field is the value that counts: ticks are written into it, and typed words are ticked. The
 * service is queried when the button is pressed. A TypedInput has the button only while its value is fixed.
 * @param input the field in the form
 * @param name key of `sources`
 */
export function addPicker(input, name) {
  const { of, listItems, nameOf, isSingle, dependsOn } = sources[name]
  const caption = input.siblings('label').text().trim()
  const field = describeTypedInput(input)
  // Node-RED puts the text field of a TypedInput into a box.
  const box = field.is(input) ? field : input.next()
  const button = createChooseButton(name, caption)
  const status = $('<div aria-live="polite">')
  const place = $('<div class="keyholder-choices" hidden>')
    .attr('id', `keyholder-${name}-choices`)
    .append(status)
  box.addClass('keyholder-listed').after(button, place)
  const names = addChosenNames(field, button, {
    id: `${input.attr('id')}-names`,
    nameOf: (word) => (isFixedValue(input) ? nameOf?.(word) : word),
    recall: async () => listItems(await recallChoices($('#node-input-panel').val(), of)),
  })

  // An empty field can be a choice too.
  const readWords = () => (isSingle ? [field.val().trim()] : splitList(field.val()))

  let request
  let shown

  const clear = () => {
    shown = undefined
    place.children().not(status).remove()
  }

  const close = () => {
    request?.abort()
    clear()
    status.empty()
    place.prop('hidden', true)
    button.attr('aria-expanded', 'false')
  }

  /** Builds the tree: the offered choices, and above them selected words that are not offered. */
  const build = (offered, isWhole) => {
    clear()
    const chosen = readWords()
    const known = collectWords(offered)
    const unlisted = chosen.filter((word) => word && !known.includes(word))
    const branches = [
      ...unlisted.map((word) => createUnlistedLeaf(word, isWhole, nameOf?.(word))),
      ...offered,
    ]
    if (branches.length === 0) return
    const element = $('<div class="keyholder-tree">').attr('aria-label', caption).appendTo(place)
    const tree = showCheckboxTree(element, branches, {
      ticked: chosen,
      group: isSingle ? `keyholder-${name}` : '',
      onTick: (word, isTicked) =>
        field.val(isSingle ? word : toggleListItem(field.val(), word, isTicked)).trigger('change'),
    })
    if (known.length >= searchFrom) addSearch(element, tree)
    shown = { tree, offered, isWhole, words: [...unlisted, ...known] }
  }

  /** Ticks the typed words; adds a leaf for a new word. */
  const follow = () => {
    if (!shown) return
    const words = readWords()
    if (words.every((word) => !word || shown.words.includes(word))) shown.tree.tick(words)
    else build(shown.offered, shown.isWhole)
  }

  const show = (answer) => {
    const { failure } = answer
    const offered = listItems(answer)
    status.empty()
    names.learn(offered)
    if (failure) {
      const lines = createFailureLines(RED._(`${panel}.choices.failed`), failure)
      status.append($('<div class="keyholder-failed">').append(lines))
    } else if (offered.length === 0) status.text(RED._(`${panel}.choices.none`))
    build(offered, !failure)
    // At the end of a long form, the list would open out of sight.
    place[0].scrollIntoView({ block: 'nearest' })
  }

  const showRequestFailure = (response) => {
    if (response.statusText === 'abort') return
    status.empty().append($('<div class="keyholder-failed">').text(describeRequestFailure(response)))
    build(listItems({}), false)
  }

  const open = () => {
    place.prop('hidden', false)
    button.attr('aria-expanded', 'true')
    request = requestChoices($('#node-input-panel').val(), of)
    status.text(request ? RED._(`${panel}.choices.asking`) : RED._(`${panel}.choices.noPanel`))
    if (request) request.then(show, showRequestFailure)
    else build(listItems({}), false)
  }

  input.on('change', () => {
    const isFixed = isFixedValue(input)
    if (!isFixed) close()
    button.toggle(isFixed)
    box.toggleClass('keyholder-listed', isFixed)
  })
  input.trigger('change')
  button.on('click', () => (button.attr('aria-expanded') === 'true' ? close() : open()))
  // jQuery UI triggers `remove` when the dialog closes.
  button.on('remove', () => request?.abort())
  field.on('input', follow)
  $('#node-input-panel').on('change', names.forget)
  // Another panel has other choices.
  $('#node-input-panel').add(dependsOn).on('change', close)
}
