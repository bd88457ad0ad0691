/**
 * Reads a value of an address. One that the service would reject counts as absent, because people cut off and change addresses:
 * another try would never succeed.
 */
export function readValue(parameters: URLSearchParams, name: string, shape: RegExp): string | undefined {
  const value = parameters.get(name)
  return value && shape.test(value) ? value : undefined
}
