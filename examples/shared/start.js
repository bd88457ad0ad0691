/** Starts an example on PORT (default 3000), and prints what to open. */
export function start(app, hint = 'Sign in as alice with the password "secret".') {
  const server = app.listen(process.env.PORT ?? 3000, 'localhost', (error) => {
    if (error) throw error
    console.log(`This example listens on http://localhost:${server.address().port}\n${hint}`)
  })
  return server
}
