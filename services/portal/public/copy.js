/** Buttons that copy: [data-copy] names the element with the text. */
document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) void copy(button);
});

async function copy(button) {
  const text = document.getElementById(button.dataset.copy)?.textContent.trim() ?? '';
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = (await put(text)) ? 'Copied' : 'Select and copy';
  setTimeout(() => (button.textContent = before), 1600);
}

async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
