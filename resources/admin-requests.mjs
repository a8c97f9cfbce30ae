/**
 * Posts the unsaved values of a form to the admin route of a config node, deployed or not.
 * @param to.kind `account` or `panel`
 * @param to.id of the node
 * @param to.route `check` or `choices`
 * @param options additional options of the request
 * @returns the request
 */
export function postForm({ kind, id, route }, form, options = {}) {
  return $.ajax({
    url: `keyholder/${kind}/${encodeURIComponent(id)}/${route}`,
    method: 'POST',
    contentType: 'application/json',
    data: JSON.stringify(form),
    ...options,
  })
}
