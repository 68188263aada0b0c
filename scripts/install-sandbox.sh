#!/bin/sh
# Installs what the program sandbox needs (bubblewrap, and Pillow and NumPy for /usr/bin/python3): on Debian and Ubuntu, as
# root. Elsewhere it says what to install. It never fails: tests that need the sandbox are skipped where it can't start.

packages="bubblewrap python3 python3-pil python3-numpy"

complete() {
  command -v bwrap >/dev/null 2>&1 && [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import PIL, numpy' >/dev/null 2>&1
}

complete && exit 0
if [ "$(uname -s)" != Linux ]; then
  echo "sandbox: programs are isolated on Linux only; its tests are skipped" >&2
elif command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "sandbox: installing $packages" >&2
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # a list of packages
  apt-get install -y -q --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update -q >/dev/null 2>&1 && apt-get install -y -q --no-install-recommends $packages >/dev/null 2>&1; }
  complete || echo "sandbox: could not install; its tests are skipped. Try: apt-get install $packages" >&2
elif command -v apt-get >/dev/null 2>&1; then
  echo "sandbox: its tests are skipped until you run: sudo apt-get install $packages" >&2
else
  echo "sandbox: its tests are skipped until bubblewrap, and Pillow and NumPy for /usr/bin/python3, are installed" >&2
fi
exit 0
