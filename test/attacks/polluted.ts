/** Whether everything that is an object has got a property that nobody gave it. */
export function hasPollutedPrototypes(): boolean {
  return ['polluted', 'verified', 'admin', 'decision'].some(
    (name) => name in {} || name in [] || name in (() => {}) || name in Object.create(Map.prototype),
  )
}
