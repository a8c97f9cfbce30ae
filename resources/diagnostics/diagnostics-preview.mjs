const texts = '@keyholder/node-red-alarm-panel/keyholder:panel'

/** Saves a text as a file of the person at the browser. */
function save(text, name) {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = $('<a>').attr({ href: url, download: name })
  link[0].click()
  URL.revokeObjectURL(url)
}

/** Returns the content of a file, exactly as it would be saved, with a sentence about it and a button that saves it. */
export function createFilePreview(text, name, sentence) {
  const button = $('<button type="button" class="red-ui-button">')
    .text(RED._(`${texts}.label.save`))
    .on('click', () => save(text, name))
  return [
    $('<p role="status">').text(sentence),
    $('<pre class="keyholder-file" tabindex="0" role="region">')
      .attr('aria-label', RED._(`${texts}.diagnostics.preview`))
      .text(text),
    button,
  ]
}

/** Returns the content of a diagnostics file. */
export function createDiagnosticsPreview(file) {
  const recorded = Object.values(file.answers)
  const counts = { answered: recorded.filter(({ error }) => !error).length, asked: recorded.length }
  return createFilePreview(
    `${JSON.stringify(file, null, 2)}\n`,
    `keyholder-diagnostics-${file.recordedAt.slice(0, 10)}.json`,
    RED._(`${texts}.diagnostics.answered`, counts),
  )
}
