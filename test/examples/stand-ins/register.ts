/**
 * Loaded into a process (`--import`) before everything else: puts stand-ins in the place of Next.js and AdminJS, which have hundreds of
 * megabytes. So `npm test` runs every line of these recipes that is about the second factor. `npm run test:full` installs the frameworks
 * themselves (`next.long.ts`, `adminjs.long.ts`).
 */
import { registerHooks } from 'node:module'

const standIns: Readonly<Record<string, string>> = {
  next: './next.ts',
  'next/server': './next-server.ts',
  adminjs: './adminjs.ts',
  '@adminjs/express': './adminjs-express.ts',
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const file = standIns[specifier]
    if (file !== undefined) return nextResolve(new URL(file, import.meta.url).href, context)
    // The recipes are packages of their own, so only files outside of them find this package.
    if (/^second-factor(\/|$)/.test(specifier))
      return nextResolve(specifier, { ...context, parentURL: import.meta.url })
    return nextResolve(specifier, context)
  },
})
