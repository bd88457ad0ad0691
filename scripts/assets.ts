import { fileURLToPath } from 'node:url'

import { build } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(`../${relative}`, import.meta.url))

/** Builds what runs in a browser: the script of the challenge page and the authenticator. */
export async function buildAssets(): Promise<void> {
  await buildChallengeScript()
}

/** One file, as the challenge page loads it: dist/browser/challenge.js. */
async function buildChallengeScript(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: path('src/browser'),
    build: {
      target: 'es2022',
      outDir: path('dist/browser'),
      emptyOutDir: true,
      lib: { entry: path('src/browser/challenge-page.ts'), formats: ['es'], fileName: () => 'challenge.js' },
    },
  })
}
