/**
 * Maps values, in parallel in every place; the function gets the position, from 1, and the place.
 * @param {any[]} values
 * @param {string[]} places the roots of the projects to work in
 * @param {(value: any, position: number, place: string) => Promise<any>} map
 */
export async function inParallel(values, places, map) {
  const results = []
  const entries = values.entries()
  await Promise.all(
    places.map(async (place) => {
      for (const [index, value] of entries) results[index] = await map(value, index + 1, place)
    }),
  )
  return results
}
