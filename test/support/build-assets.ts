import { buildAssets } from '../../scripts/assets.ts'

/** The pages' script and the authenticator are built once before the tests that serve them. */
export default async function setup(): Promise<void> {
  await buildAssets()
}
