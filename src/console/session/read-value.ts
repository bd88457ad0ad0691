import { queryShapes } from '../../admin-contract/query-shapes.ts'

/**
 * Reads a value of an address. One that the service would reject counts as absent, because people cut off and change addresses:
 * another try would never succeed.
 */
export function readValue(
  parameters: URLSearchParams,
  name: string,
  shape: keyof typeof queryShapes,
): string | undefined {
  const value = parameters.get(name)
  return value !== null && value !== '' && queryShapes[shape].test(value) ? value : undefined
}
