// Search, copy buttons, and the address of this service in the commands. The page also works without it.
for (const command of document.querySelectorAll('.command')) {
  command.textContent = command.textContent.replace('https://mfa.example', location.origin)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(command.textContent).then(() => (button.textContent = 'Copied'))
  })
  // Browsers have no clipboard where the address is not https.
  if (navigator.clipboard) command.previousElementSibling.before(button)
}

const search = document.querySelector('#search')
const operations = [...document.querySelectorAll('article')]
const links = new Map(
  [...document.querySelectorAll('nav li a')].map((link) => [link.hash.slice(1), link.parentElement]),
)
search.closest('p').hidden = false
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/)
  for (const operation of operations) {
    const text = [...operation.querySelectorAll('h3, h3 ~ p')]
      .map((part) => part.textContent)
      .join(' ')
      .toLowerCase()
    operation.hidden = !words.every((word) => text.includes(word))
    links.get(operation.querySelector('h3').id).hidden = operation.hidden
  }
  for (const section of document.querySelectorAll('main > section:has(> article)')) {
    section.hidden = operations.filter((each) => section.contains(each)).every((each) => each.hidden)
    links.get(section.querySelector('h3').id).closest('ul').previousElementSibling.hidden = section.hidden
  }
})
