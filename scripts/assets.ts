/** Builds what runs in a browser: the script of the challenge page and the authenticator. */
export async function buildAssets(): Promise<void> {
  // Filled in as soon as there is something to build.
}
