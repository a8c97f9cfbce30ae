import { choiceTree, wordsIn } from './choice-tree.mjs'
import { requestChoices } from './choices.mjs'
import { deviceTree, zoneTree } from './device-tree.mjs'
import { labelTree, typeTree } from './event-trees.mjs'
import { failureLines, refusal } from './failure.mjs'
import { optionTree } from './option-tree.mjs'
import { commandedTree, partitionTree } from './partition-tree.mjs'
import { isVariable, withWord, wordsOf } from './word-list.mjs'

const panel = '@keyholder/node-red-alarm-panel/panel:panel'

const typed = (name) => $(`#node-input-${name}`).val()

/**
 * What each field is picked from: the kind of choices that is asked for, and the tree that is made of them; whether only
 * one can be chosen; and by which other fields they are others.
 */
const sources = {
  partitions: { of: 'partitions', treeOf: partitionTree },
  devices: { of: 'devices', treeOf: deviceTree },
  labels: { of: 'catalogue', treeOf: labelTree },
  typeIds: { of: 'catalogue', treeOf: typeTree },
  partition: { of: 'partitions', treeOf: commandedTree, isSingle: true },
  zone: { of: 'devices', treeOf: zoneTree, isSingle: true },
  options: {
    of: 'partitions',
    treeOf: (answer) => optionTree(answer, { state: typed('state'), partition: typed('partition') }),
    dependsOn: '#node-input-state, #node-input-partition',
  },
}

/** From so many choices on there is a field to search them. */
const many = 12

/** A leaf for what is chosen and not offered; it is called unavailable only where the list is known to be whole. */
function strayLeaf(word, isWhole) {
  if (isVariable(word)) return { word, label: word, sublabel: RED._(`${panel}.choices.variable`) }
  return { word, label: word, sublabel: isWhole ? RED._(`${panel}.choices.unavailable`) : '' }
}

function chooseButton(name, caption) {
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

/** Adds above a tree a field that shows only those choices that have its text in them. */
function addSearch(element, tree) {
  const caption = RED._(`${panel}.choices.search`)
  const field = $('<input type="text">').attr({ placeholder: caption, 'aria-label': caption })
  element.before($('<div>').append(field))
  field.searchBox({ delay: 200, change: () => tree.filter(field.val()) })
  // The Escape key does the same.
  field.siblings('a').attr({ tabindex: -1, 'aria-hidden': 'true' })
}

/**
 * Adds to a field a button that shows below it what there is to choose from. The field stays what counts: ticks are
 * written into it, and what is typed there is ticked. The service is asked when the button is pressed.
 * @param field the text field
 * @param name of what it holds, a key of `sources`
 */
export function addPicker(field, name) {
  const { of, treeOf, isSingle, dependsOn } = sources[name]
  const caption = field.siblings('label').text().trim()
  const button = chooseButton(name, caption)
  const said = $('<div aria-live="polite">')
  const place = $('<div class="keyholder-choices" hidden>')
    .attr('id', `keyholder-${name}-choices`)
    .append(said)
  field.addClass('keyholder-listed').after(button, place)

  let request
  let shown

  const clear = () => {
    shown = undefined
    place.children().not(said).remove()
  }

  const close = () => {
    request?.abort()
    clear()
    said.empty()
    place.prop('hidden', true)
    button.attr('aria-expanded', 'false')
  }

  /** Builds the tree: what is offered, and above it what is chosen besides. */
  const build = (offered, isWhole) => {
    clear()
    const chosen = wordsOf(field.val())
    const known = wordsIn(offered)
    const strays = chosen.filter((word) => !known.includes(word))
    const branches = [...strays.map((word) => strayLeaf(word, isWhole)), ...offered]
    if (branches.length === 0) return
    const element = $('<div class="keyholder-tree">').attr('aria-label', caption).appendTo(place)
    const tree = choiceTree(element, branches, {
      ticked: chosen,
      group: isSingle ? `keyholder-${name}` : '',
      onTick: (word, isTicked) =>
        field.val(isSingle ? word : withWord(field.val(), word, isTicked)).trigger('change'),
    })
    if (known.length >= many) addSearch(element, tree)
    shown = { tree, offered, isWhole, words: [...strays, ...known] }
  }

  /** Ticks what is typed; a word that was not there before gets a leaf of its own. */
  const follow = () => {
    if (!shown) return
    const words = wordsOf(field.val())
    if (words.every((word) => shown.words.includes(word))) shown.tree.tick(words)
    else build(shown.offered, shown.isWhole)
  }

  const show = (answer) => {
    const { failure } = answer
    const offered = treeOf(answer)
    said.empty()
    if (failure) {
      const lines = failureLines(RED._(`${panel}.choices.failed`), failure)
      said.append($('<div class="keyholder-failed">').append(lines))
    } else if (offered.length === 0) said.text(RED._(`${panel}.choices.none`))
    build(offered, !failure)
  }

  const showRefusal = (response) => {
    if (response.statusText === 'abort') return
    said.empty().append($('<div class="keyholder-failed">').text(refusal(response)))
    build([], false)
  }

  const open = () => {
    place.prop('hidden', false)
    button.attr('aria-expanded', 'true')
    request = requestChoices($('#node-input-panel').val(), of)
    said.text(request ? RED._(`${panel}.choices.asking`) : RED._(`${panel}.choices.noPanel`))
    if (request) request.then(show, showRefusal)
    else build([], false)
  }

  button.on('click', () => (button.attr('aria-expanded') === 'true' ? close() : open()))
  // Told by jQuery UI when the dialog goes.
  button.on('remove', () => request?.abort())
  field.on('input', follow)
  // What another panel has is another list.
  $('#node-input-panel').add(dependsOn).on('change', close)
}
