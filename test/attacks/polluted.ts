/** Whether every object has inherited a property from a polluted prototype. */
export function hasPollutedPrototypes(): boolean {
  return ['polluted', 'verified', 'admin', 'decision'].some(
    (name) => name in {} || name in [] || name in (() => {}) || name in Object.create(Map.prototype),
  )
}
