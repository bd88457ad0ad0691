/**
 * Joins texts with their ids, where the texts of each language are a list: the ids would be a fifth of each.
 *
 * @param ids Such as `keys/title`, in the order of the texts.
 */
export function textsById(ids: readonly string[], texts: readonly unknown[]): object {
  const words: Branch = {}
  for (const [index, id] of ids.entries()) {
    const names = id.split('/')
    const leaf = names.pop() ?? ''
    let branch = words
    for (const name of names) branch = (branch[name] ??= {}) as Branch
    branch[leaf] = texts[index]
  }
  return words
}

interface Branch {
  [name: string]: unknown
}
