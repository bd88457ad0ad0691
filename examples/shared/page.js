/** A minimal page. Both arguments are HTML. */
export function page(title, body) {
  return `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}`
}

export const signOutButton = '<form method="post" action="/logout"><button>Sign out</button></form>'

export const loginForm = `<form method="post" action="/login">
  <label>Username <input name="username" autocomplete="username"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password"></label>
  <button>Sign in</button>
</form>`
