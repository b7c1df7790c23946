# utunctl: `make demo` shows it at work, `make test` tests it. Neither touches the network of
# this machine, and only `make setup`, which both begin with, installs anything.

SWIFT ?= swift
# All parts are looked for below /usr, /etc and /run (Sources/Preferences/FileLayout.swift):
# another PREFIX moves the program and the manual pages alone.
PREFIX ?= /usr
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
LIBEXECDIR ?= /usr/libexec
PROVIDERSDIR ?= /usr/lib/utunctl/providers.d
SYSCONFDIR ?= /etc
UNITDIR ?= /usr/lib/systemd/system
TMPFILESDIR ?= /usr/lib/tmpfiles.d
SYSUSERSDIR ?= /usr/lib/sysusers.d
BASHDIR ?= /usr/share/bash-completion/completions
ZSHDIR ?= /usr/share/zsh/vendor-completions
FISHDIR ?= /usr/share/fish/vendor_completions.d
DOCDIR ?= $(PREFIX)/share/doc/utunctl
SCHEMADIR ?= /usr/share/utunctl/schema

# Release builds start fast and stay small: what every start would have to load and relocate
# is linked statically (the C++ runtime of Swift's own, libnl, jansson; by a directory that
# holds nothing but their archives), relocations are packed (RELR, since glibc 2.36), equal
# functions are folded, and the loader looks for libraries only where the system has them.
STATIC := .build/static
# Without an archive a library stays dynamic; but its directory must not be looked at first.
ARCHIVES := libnl-3=libnl-3.0 libnl-route-3=libnl-route-3.0 libjansson=jansson =libcrypto
# No module of regular expressions, which the compiler would import and link by itself: its
# metadata would be relocated at each start.
RELEASE := -c release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import \
	-Xswiftc -no-toolchain-stdlib-rpath -Xswiftc -use-ld=lld \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -L$(STATIC) \
	-Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
# The link that SwiftPM keeps to the last release build: `sudo make install` needs no Swift.
RELEASE_DIR := .build/release
PROVIDERS := loopback wireguard
HELPERS := $(PROVIDERS:%=utunctl-%) utunctl-resolver utunctl-keys utunctl-mobileconfig
INSTALLED := Sources/Install
SCHEMAS := $(wildcard $(INSTALLED)/schema/*.schema.json)
UNITS := utunctl@.service utunctl-online@.target utunctl-lockdown.service \
	utunctl-sleep.service utunctl-ondemand.service
EXAMPLES := utunctl.rules utunctl.sudoers utunctl-credential.conf utunctl-directory.conf \
	utunctl-backoff.conf
MAN_PAGES := man/utunctl.8 man/utunctl-dns.7 man/utunctl-enroll.8 man/utunctl-errors.7 man/utunctl-firewall.7 \
	man/utunctl-doctor.8 man/utunctl-metrics.7 \
	man/utunctl-mobileconfig.7 man/utunctl-ondemand.7 man/utunctl-preferences.5 man/utunctl-profile.5 \
	man/utunctl-provider.7 man/utunctl-reload.7 man/utunctl-routing.7 man/utunctl-status.5 man/utunctl-systemd.7 \
	man/utunctl-traffic.7 man/utunctl-waiting.7 man/utunctl-wireguard.7

# PACKAGE=WHAT: a package of Debian, and the pkg-config module, file or command that tells
# whether it is there. libipsec-mb is for one architecture only.
LIBRARIES := libnl-3-dev=libnl-3.0 libnl-route-3-dev=libnl-route-3.0 \
	libjansson-dev=jansson libc-ares-dev=libcares libssl-dev=libcrypto \
	$(if $(filter x86_64,$(shell uname -m)),libipsec-mb-dev=/usr/include/intel-ipsec-mb.h)
TOOLS := pkg-config=pkg-config iproute2=ip iputils-ping=ping util-linux=unshare \
	procps=sysctl python3=python3 mandoc=mandoc dnsmasq-base=dnsmasq nftables=nft \
	openssl=openssl curl=curl strace=strace wireguard-go=wireguard-go wireguard-tools=wg iperf3=iperf3 \
	zsh=zsh fish=fish \
	python3-jsonschema=/usr/lib/python3/dist-packages/jsonschema/__init__.py

# What an account that is not root does not always find.
export PATH := $(PATH):/usr/sbin:/sbin

# `build` of `make -j demo` would look for libraries that `setup` is still installing.
.NOTPARALLEL:
.PHONY: all build setup toolchain libraries demo test test-system fuzz bench check fmt install \
	uninstall deb clean

all: build

build: toolchain libraries
	@mkdir -p $(STATIC)
	@for module in $(ARCHIVES); do \
		libdir=$$(pkg-config --variable=libdir $${module#*=}); \
		[ -z "$${module%=*}" ] || ln -sf "$$libdir/$${module%=*}.a" $(STATIC); \
		sed 's|^libdir=.*|libdir=$(CURDIR)/$(STATIC)|' \
			"$$(pkg-config --variable=pcfiledir $${module#*=})/$${module#*=}.pc" \
			>$(STATIC)/$${module#*=}.pc; \
	done
	@ln -sf "$$(cc -print-file-name=libstdc++.a 2>/dev/null || clang -print-file-name=libstdc++.a)" $(STATIC)/libstdc++.a
	PKG_CONFIG_PATH=$(CURDIR)/$(STATIC) $(SWIFT) build $(RELEASE)

# Installs what is missing, and nothing else.
setup: toolchain
	@Tests/Scripts/setup $(LIBRARIES) -- $(TOOLS)

toolchain:
	@command -v $(SWIFT) >/dev/null || { \
		echo >&2 "make: no $(SWIFT) in PATH: install Swift 6.2 or later from swift.org first"; \
		exit 1; }

libraries:
	@Tests/Scripts/setup --check $(LIBRARIES)

# A tunnel from save to stop, installed below a private root.
demo: setup build
	@Tests/Scripts/demo

# The unit suites as they are, then the suites of the kernel in a private namespace.
test: setup
	$(SWIFT) build --build-tests
	@Tests/Scripts/test "$$($(SWIFT) build --show-bin-path)/utunctlPackageTests.xctest"

# The checks of Tests/System in a Debian system that is booted for them: needs root, and once
# a mirror of Debian to make it from. Where that is not to be had it says so, and passes.
test-system: setup deb
	@Tests/Scripts/setup -- debootstrap=debootstrap systemd-container=systemd-nspawn
	@Tests/System/run $(CHECKS) || { status=$$?; [ $$status -eq 77 ] || exit $$status; }

# A package of Debian, in .build/deb, without errors of lintian.
deb: setup build
	@Tests/Scripts/setup -- dpkg-dev=dpkg-shlibdeps binutils=strip lintian=lintian
	@$(INSTALLED)/debian/build .build/deb

# Every parser of what comes from the network or from files, for a few seconds each.
FUZZ_SECONDS ?= 10
fuzz: setup
	@Tests/Scripts/fuzz $(FUZZ_SECONDS)

# BENCH: what to measure (groups, --quick), all by default.
bench: setup build
	@Tests/Scripts/private-namespace $(RELEASE_DIR)/Benchmarks $(BENCH)

check: toolchain
	@Tests/Scripts/check $(MAN_PAGES)
	$(SWIFT) format lint -r --strict Sources Tests Package.swift

fmt: toolchain
	$(SWIFT) format -i -r Sources Tests Package.swift

install:
	@test -x $(RELEASE_DIR)/utunctl || { echo >&2 "make: not built yet: run make"; exit 1; }
	umask 022; install -d -m 0755 $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBEXECDIR)/utunctl \
		$(DESTDIR)$(PROVIDERSDIR) $(DESTDIR)$(SYSCONFDIR)/utunctl $(DESTDIR)$(UNITDIR) \
		$(DESTDIR)$(TMPFILESDIR) $(DESTDIR)$(SYSUSERSDIR) \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(SCHEMADIR) \
		$(DESTDIR)$(DOCDIR)/examples $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(MANDIR)/man8
	install -d -m 0700 $(DESTDIR)$(SYSCONFDIR)/utunctl/credentials
	install -m 0755 $(RELEASE_DIR)/utunctl $(DESTDIR)$(BINDIR)/utunctl
	install -m 0711 $(HELPERS:%=$(RELEASE_DIR)/%) $(DESTDIR)$(LIBEXECDIR)/utunctl
	install -m 0644 $(PROVIDERS:%=$(INSTALLED)/providers.d/org.utunctl.%.json) \
		$(DESTDIR)$(PROVIDERSDIR)
	for unit in $(UNITS); do \
		sed 's|/usr/bin/|$(BINDIR)/|' $(INSTALLED)/$$unit | \
			install -m 0644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$unit || exit; \
	done
	install -m 0644 $(INSTALLED)/utunctl.tmpfiles $(DESTDIR)$(TMPFILESDIR)/utunctl.conf
	install -m 0644 $(INSTALLED)/utunctl.sysusers $(DESTDIR)$(SYSUSERSDIR)/utunctl.conf
	install -m 0644 $(EXAMPLES:%=$(INSTALLED)/examples/%) $(DESTDIR)$(DOCDIR)/examples
	install -m 0644 $(SCHEMAS) $(DESTDIR)$(SCHEMADIR)
	for shell in bash:$(BASHDIR)/utunctl zsh:$(ZSHDIR)/_utunctl fish:$(FISHDIR)/utunctl.fish; do \
		script=$$($(RELEASE_DIR)/utunctl completions "$${shell%%:*}") || exit; \
		printf '%s\n' "$$script" | install -m 0644 /dev/stdin "$(DESTDIR)$${shell#*:}" || exit; \
	done
	for page in $(MAN_PAGES); do \
		install -m 0644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.} || exit; \
	done

# Leaves everything below SYSCONFDIR: configurations and credentials are not ours to delete.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/utunctl $(HELPERS:%=$(DESTDIR)$(LIBEXECDIR)/utunctl/%) \
		$(PROVIDERS:%=$(DESTDIR)$(PROVIDERSDIR)/org.utunctl.%.json) \
		$(UNITS:%=$(DESTDIR)$(UNITDIR)/%) $(DESTDIR)$(TMPFILESDIR)/utunctl.conf \
		$(DESTDIR)$(SYSUSERSDIR)/utunctl.conf $(DESTDIR)$(BASHDIR)/utunctl \
		$(DESTDIR)$(ZSHDIR)/_utunctl $(DESTDIR)$(FISHDIR)/utunctl.fish \
		$(EXAMPLES:%=$(DESTDIR)$(DOCDIR)/examples/%) \
		$(SCHEMAS:$(INSTALLED)/schema/%=$(DESTDIR)$(SCHEMADIR)/%)
	for page in $(MAN_PAGES); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page#man/}; \
	done
	rmdir $(DESTDIR)$(LIBEXECDIR)/utunctl $(DESTDIR)$(PROVIDERSDIR) \
		$(dir $(DESTDIR)$(PROVIDERSDIR)) $(DESTDIR)$(DOCDIR)/examples $(DESTDIR)$(DOCDIR) \
		$(DESTDIR)$(SCHEMADIR) $(dir $(DESTDIR)$(SCHEMADIR)) \
		2>/dev/null || :

clean:
	rm -rf .build
